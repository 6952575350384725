import { encodeConnector } from '@fairlead/connector-model/codec';
import type {
  AuthenticationMethod,
  Connector,
  FieldDescriptor,
  OAuth2Scheme,
  ToolDefinition,
  TriggerTypeDefinition,
} from '@fairlead/connector-model/model';
import type { ProviderSlot } from '@fairlead/connector-model/enumerations';
import { defineOAuth2Scheme } from '@fairlead/connector-model/oauth2-scheme';
import type { CataloguedApplication } from '../domain/application.ts';
import { createCatalogueView } from '../domain/catalogue-view.ts';
import { createApplicationList } from '../domain/application-list.ts';
import type { Catalogue } from '../ports/catalogue.ts';
import { createLexicalIndex } from '@fairlead/lexical-index/lexical-index';

/** A minimal well-formed tool. */
export function testTool(toolSlug: string, members: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    toolSlug,
    toolName: toolSlug,
    description: `Does ${toolSlug}.`,
    category: 'Tests',
    version: '1.0.0',
    aliases: [],
    isDeprecated: false,
    inputSchema: { type: 'object', properties: {} },
    outputSchema: { type: 'object', properties: {} },
    retryClass: 'readOnly',
    isDestructive: false,
    filters: null,
    sorts: null,
    paging: null,
    execution: {
      type: 'http',
      request: { method: 'GET', url: '/', query: {}, headers: {}, body: null },
      response: { type: 'object', pointer: '' },
    },
    ...members,
  };
}

/** A minimal well-formed trigger type. */
export function testTriggerType(
  slug: string,
  members: Partial<TriggerTypeDefinition> = {},
): TriggerTypeDefinition {
  return {
    slug,
    name: slug,
    description: `Fires on ${slug}.`,
    kind: 'poll',
    requiresConnection: true,
    configSchema: { type: 'object', properties: {} },
    payloadSchema: { type: 'object', properties: {} },
    poll: null,
    webhook: null,
    ...members,
  };
}

/** A minimal well-formed connector: one method without a credential. */
export function testConnector(slug: string, members: Partial<Connector> = {}): Connector {
  return {
    slug,
    name: slug,
    description: `The application ${slug}.`,
    categories: [],
    kind: 'Regular',
    logoUrl: null,
    isMcpEnabled: true,
    supportsObjectSelection: false,
    maturity: 'verified',
    version: '1.0.0',
    settings: [],
    baseUrl: 'https://api.example.com',
    authenticationMethods: [
      {
        authenticationId: 0,
        authenticationName: 'None',
        isDefault: true,
        fields: [],
        scheme: { type: 'none' },
        test: null,
        baseUrl: null,
        translations: {},
      },
    ],
    headers: {},
    errorMessagePointers: [],
    rateLimit: null,
    agentSettings: null,
    tools: [],
    triggerTypes: [],
    ...members,
  };
}

/** A platform application of the catalogue, created and changed on the same day. */
export function catalogued(connector: Connector): CataloguedApplication {
  const day = new Date('2026-01-01T00:00:00.000Z');
  return { owner: 'platform', connector, toolCount: connector.tools.length, createdAt: day, updatedAt: day };
}

/** An OAuth 2 method with this grant; the application's default method. */
export function oauthMethod(authenticationId: number, grant: OAuth2Scheme['grant']): AuthenticationMethod {
  return {
    authenticationId,
    authenticationName: grant,
    translations: {},
    isDefault: true,
    fields: [],
    test: null,
    scheme: defineOAuth2Scheme({ grant, tokenUrl: 'https://a.test/token', allowsAuthProvider: true }),
    baseUrl: null,
  };
}

/** An optional text field whose value an auth provider has in that slot. */
export function providerField(name: string, providerSlot: ProviderSlot): FieldDescriptor {
  return {
    name,
    label: name,
    description: '',
    type: 'string',
    isRequired: false,
    isPassword: false,
    maskInLogs: false,
    defaultValue: null,
    options: [],
    providerSlot,
    dynamicOptions: null,
    atSignIn: false,
    capturedFrom: null,
    pattern: null,
    allowedHosts: ['*'],
    help: null,
    helpUrl: null,
    translations: {},
  };
}

/** A catalogue in memory: everyone sees these platform applications. */
export function catalogueOf(...connectors: readonly Connector[]): Catalogue {
  const view = createCatalogueView(
    createApplicationList(connectors.map(catalogued), createLexicalIndex),
    undefined,
  );
  return { view: () => Promise.resolve(view) };
}

/** The bytes of a connector, as the connections service sends them. */
export function encodedConnector(connector: Connector): Uint8Array {
  return encodeConnector(connector, Buffer.from(JSON.stringify(connector.tools)));
}
