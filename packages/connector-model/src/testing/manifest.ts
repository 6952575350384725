import { stringify } from 'yaml';
import { compileManifest } from '../compile-manifest.ts';
import type { CompileProblem } from '../compile-manifest.ts';
import type { Connector } from '../model.ts';

/** Members of a manifest, or of one of its parts. */
export type Members = Record<string, unknown>;

/** The default method of the valid manifest. */
export const apiKeyMethod = {
  authenticationId: 0,
  authenticationName: 'API key',
  isDefault: true,
  fields: [{ name: 'key', label: 'Key', description: 'The key.', isRequired: true, isPassword: true }],
  scheme: { type: 'apiKey', in: 'header', name: 'x-key', value: '{{field.key}}' },
};
/** A method without a credential. */
export const noneMethod = { authenticationId: 7, authenticationName: 'None', scheme: { type: 'none' } };
/** A sign-in. */
export const oauthMethod = {
  authenticationId: 1,
  authenticationName: 'OAuth',
  fields: [
    { name: 'clientId', label: 'Id', description: 'Id.', providerSlot: 'Key1' },
    { name: 'clientSecret', label: 'Secret', description: 'Secret.', isPassword: true, providerSlot: 'Key2' },
  ],
  scheme: {
    type: 'oauth2',
    grant: 'authorizationCode',
    authorizationUrl: 'https://a.test/auth',
    tokenUrl: 'https://a.test/token',
    allowsAuthProvider: true,
  },
};
/** An OAuth 2 method without a sign-in. */
export const clientCredentialsMethod = {
  ...oauthMethod,
  scheme: { ...oauthMethod.scheme, grant: 'clientCredentials', authorizationUrl: null },
};
/** A tool that sends a request. */
export const getThing = {
  toolSlug: 'acme-get-thing',
  toolName: 'Get thing',
  description: 'Returns one thing.',
  category: 'Things',
  retryClass: 'readOnly',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'string', description: 'Id of the thing.' } },
    required: ['id'],
  },
  outputSchema: { type: 'object', properties: { id: { type: 'string' } } },
  request: { url: '/things/{{input.id}}' },
};
/** A tool with filters, sorts and paging. */
export const listThings = {
  toolSlug: 'acme-list-things',
  toolName: 'List things',
  description: 'Returns things.',
  category: 'Things',
  retryClass: 'readOnly',
  outputSchema: {
    type: 'object',
    properties: {
      items: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } },
    },
  },
  filters: { fields: ['id'], query: { name: 'f', value: '{{filter.field}}' } },
  sorts: { fields: ['id'], query: { name: 's', value: '{{sort.field}}' } },
  paging: { type: 'offset', topQuery: 'top', offsetQuery: 'offset' },
  request: { url: '/things' },
  response: { type: 'list', itemsPointer: '/items' },
};
/** A trigger type for events about things. */
export const thingCreated = {
  slug: 'acme-thing-created',
  name: 'Thing created',
  description: 'Fires when a thing was created.',
  kind: 'webhook',
  payloadSchema: { $ref: '#/schemas/thing' },
  webhook: {
    register: {
      request: { method: 'POST', url: '/hooks', body: { to: '{{webhook.url}}', key: '{{webhook.secret}}' } },
      idPointer: '/id',
    },
    list: { request: { url: '/hooks' }, itemsPointer: '/items', idPointer: '/id', urlPointer: '/to' },
    remove: { request: { method: 'DELETE', url: '/hooks/{{webhook.id}}' } },
    signature: { header: 'X-Signature' },
    deliveryIdPointer: '/id',
  },
};
const base = {
  schemas: { thing: { type: 'object', properties: { id: { type: 'string' } } } },
  slug: 'acme',
  name: 'Acme',
  description: 'Things.',
  kind: 'Key',
  version: '1.2.3',
  baseUrl: 'https://api.acme.test',
  authenticationMethods: [apiKeyMethod],
  tools: [getThing],
};

/** Five tools with different paths. */
export const fiveTools = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
  ...getThing,
  toolSlug: `acme-get-${name}`,
  request: { url: `/${name}/{{input.id}}` },
}));

/** The text of a vendor manifest with hand-written tools. */
export function writtenManifest(): string {
  return stringify({ ...base, hosts: ['acme.test'], tools: fiveTools });
}

/** Compiles a valid manifest with these members, optionally with icons. */
export function compile(
  members: Members,
  more: Pick<Parameters<typeof compileManifest>[1], 'icons'> = {},
): ReturnType<typeof compileManifest> {
  return compileManifest(stringify({ ...base, ...members }), {
    ...more,
    directory: 'acme',
    file: 'acme/connector.yaml',
  });
}

/** Compiles a valid manifest with these members; throws if they make it invalid. */
export function compiled(members: Members): Connector {
  const result = compile(members);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.connector;
}

/** The problems of a valid manifest with these members. */
export function problemsOf(members: Members): readonly CompileProblem[] {
  const result = compile(members);
  return result.ok ? [] : result.problems;
}
