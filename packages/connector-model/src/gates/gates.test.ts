import { describe, expect, it } from 'vitest';
import {
  apiKeyMethod,
  clientCredentialsMethod,
  getThing,
  listThings,
  noneMethod,
  oauthMethod,
  problemsOf,
  thingCreated,
} from '../testing/manifest.ts';
import type { Members } from '../testing/manifest.ts';

describe('a manifest with', () => {
  const listTool = (members: Members): Members => ({ tools: [{ ...listThings, ...members }] });
  const tool = (members: Members): Members => ({ tools: [{ ...getThing, ...members }] });
  const method = (members: Members): Members => ({
    authenticationMethods: [{ ...apiKeyMethod, ...members }],
  });
  const oauth = (scheme: Members, members: Members = {}): Members => ({
    kind: 'Regular',
    authenticationMethods: [
      apiKeyMethod,
      { ...oauthMethod, ...members, scheme: { ...oauthMethod.scheme, ...scheme } },
    ],
  });

  it.each<[guarantee: string, members: Members, path: string, message: RegExp]>([
    ['a slug other than the directory', { slug: 'acne' }, 'slug', /directory/],
    ['an unknown member', { colour: 'red' }, '', /colour/],
    [
      'a kind Key with another method',
      { authenticationMethods: [apiKeyMethod, noneMethod] },
      'kind',
      /Key only/,
    ],
    ['only API keys without kind Key', { kind: 'Regular' }, 'kind', /must be Key/],
    [
      'an MCPClient without serverUrl',
      { kind: 'MCPClient', authenticationMethods: [{ ...noneMethod, isDefault: true }], tools: [] },
      'authenticationMethods[0].fields',
      /serverUrl/,
    ],
    ['no default method', method({ isDefault: false }), 'authenticationMethods', /exactly one.*0 have/],
    [
      'two methods of one id',
      { kind: 'Regular', authenticationMethods: [apiKeyMethod, { ...noneMethod, authenticationId: 0 }] },
      'authenticationMethods[1].authenticationId',
      /another method/,
    ],
    [
      'two fields of one name',
      method({ fields: [...apiKeyMethod.fields, ...apiKeyMethod.fields] }),
      'authenticationMethods[0].fields[1].name',
      /another field/,
    ],
    [
      'a field of the reserved name',
      method({ fields: [...apiKeyMethod.fields, { name: 'ExternalOrgId', label: 'x', description: 'x' }] }),
      'authenticationMethods[0].fields[1].name',
      /reserved/,
    ],
    [
      'a secret that is not flagged',
      method({ fields: [{ ...apiKeyMethod.fields[0], isPassword: false }] }),
      'authenticationMethods[0].fields[0]',
      /isPassword or maskInLogs/,
    ],
    [
      'a secret with a default',
      method({ fields: [{ ...apiKeyMethod.fields[0], defaultValue: 'x' }] }),
      'authenticationMethods[0].fields[0].defaultValue',
      /must not have a default/,
    ],
    [
      'a select without options',
      method({
        fields: [...apiKeyMethod.fields, { name: 'a', label: 'a', description: 'a', type: 'select' }],
      }),
      'authenticationMethods[0].fields[1].options',
      /needs options/,
    ],
    [
      'a default that is not an option',
      method({
        fields: [
          ...apiKeyMethod.fields,
          {
            name: 'a',
            label: 'a',
            description: 'a',
            type: 'select',
            options: [{ value: 'x', label: 'x' }],
            defaultValue: 'y',
          },
        ],
      }),
      'authenticationMethods[0].fields[1].defaultValue',
      /not a valid value/,
    ],
    [
      'a provider slot without OAuth',
      method({ fields: [{ ...apiKeyMethod.fields[0], providerSlot: 'Key1' }] }),
      'authenticationMethods[0].fields[0].providerSlot',
      /OAuth 2/,
    ],
    [
      'one slot for two fields',
      oauth({}, { fields: oauthMethod.fields.map((field) => ({ ...field, providerSlot: 'Key1' })) }),
      'authenticationMethods[1].fields[1].providerSlot',
      /already/,
    ],
    [
      'a sign-in without authorization URL',
      oauth({ authorizationUrl: null }),
      'authenticationMethods[1].scheme.authorizationUrl',
      /required/,
    ],
    [
      'client credentials with authorization URL',
      oauth({ grant: 'clientCredentials' }),
      'authenticationMethods[1].scheme.authorizationUrl',
      /not allowed/,
    ],
    [
      'an unknown client field',
      oauth({ clientIdField: 'id' }),
      'authenticationMethods[1].scheme.clientIdField',
      /no field 'id'/,
    ],
    [
      'a sign-in field that can get no value',
      oauth({}, { fields: [...oauthMethod.fields, { name: 'site', label: 's', description: 's' }] }),
      'authenticationMethods[1].fields[2]',
      /needs a providerSlot, dynamicOptions, atSignIn or capturedFrom/,
    ],
    [
      'a tool slug outside the connector',
      tool({ toolSlug: 'other-get-thing' }),
      'tools[0].toolSlug',
      /begin with 'acme-'/,
    ],
    ['two tools of one slug', { tools: [getThing, getThing] }, 'tools[1].toolSlug', /another tool/],
    [
      'an alias that is the slug of a tool',
      { tools: [getThing, { ...listThings, aliases: [getThing.toolSlug] }] },
      'tools[1].aliases[0]',
      /another tool/,
    ],
    [
      'an alias of another connector',
      tool({ aliases: ['other-get-thing'] }),
      'tools[0].aliases[0]',
      /must begin with/,
    ],
    [
      'a description that is too long',
      tool({ description: 'x'.repeat(1025) }),
      'tools[0].description',
      /1024/,
    ],
    ['a tool without request and handler', tool({ request: undefined }), 'tools[0]', /either/],
    [
      'an input schema that is no object',
      tool({ inputSchema: { type: 'string' } }),
      'tools[0].inputSchema',
      /type: object/,
    ],
    [
      'a schema that does not compile',
      tool({ outputSchema: { type: 'object', properties: { a: { type: 'strnig' } } } }),
      'tools[0].outputSchema',
      /2020-12/,
    ],
    [
      'a mistyped keyword',
      tool({ outputSchema: { type: 'object', propertise: {} } }),
      'tools[0].outputSchema',
      /propertise/,
    ],
    [
      'a pattern that may take too long',
      tool({ inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } } }),
      'tools[0].inputSchema',
      /pattern that may take too long, \^\(a\+\)\+\$: a character can belong to/,
    ],
    [
      'such a pattern of names, somewhere inside',
      tool({
        outputSchema: {
          type: 'object',
          anyOf: [{ dependentSchemas: { a: { type: 'object', patternProperties: { 'a+$': {} } } } }],
        },
      }),
      'tools[0].outputSchema',
      /a\+\$: it has to begin with \^/,
    ],
    [
      'unique items without a bound',
      tool({
        inputSchema: { type: 'object', properties: { a: { type: 'array', uniqueItems: true } } },
      }),
      'tools[0].inputSchema',
      /uniqueItems without maxItems/,
    ],
    [
      'a schema that is applied again and again',
      tool({
        inputSchema: {
          type: 'object',
          $defs: { a: { type: 'object', properties: { a: { $ref: '#/$defs/a' } } } },
          properties: { a: { $ref: '#/$defs/a' } },
        },
      }),
      'tools[0].inputSchema',
      /has a \$ref/,
    ],
    [
      'a schema with too many parts',
      tool({
        inputSchema: {
          type: 'object',
          properties: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`a${index}`, {}])),
        },
      }),
      'tools[0].inputSchema',
      /more than 2000 subschemas/,
    ],
    [
      'a reference to no schema',
      tool({ outputSchema: { $ref: '#/schemas/nope' } }),
      'tools[0].outputSchema',
      /no schema 'nope'/,
    ],
    [
      'a schema within itself',
      {
        schemas: { a: { type: 'object', properties: { a: { $ref: '#/schemas/a' } } } },
        tools: [{ ...getThing, outputSchema: { $ref: '#/schemas/a' } }],
      },
      'tools[0].outputSchema',
      /contains itself/,
    ],
    ['a read-only tool that destroys', tool({ isDestructive: true }), 'tools[0].isDestructive', /readOnly/],
    [
      'an mcp execution elsewhere',
      method({ test: { type: 'mcp' } }),
      'authenticationMethods[0].test',
      /MCPClient/,
    ],
    [
      'an unknown input',
      tool({ request: { url: '/{{input.idd}}' } }),
      'tools[0].request.url',
      /input.idd.*known: id/,
    ],
    [
      'an input that is not sent',
      tool({ request: { url: '/things' } }),
      'tools[0].inputSchema.properties.id',
      /does not use/,
    ],
    [
      'an unknown field',
      tool({ request: { url: '/{{input.id}}', headers: { h: '{{field.nope}}' } } }),
      'tools[0].request.headers.h',
      /field.nope/,
    ],
    [
      'a field of another method in a scheme',
      {
        kind: 'Regular',
        authenticationMethods: [
          apiKeyMethod,
          { ...noneMethod, scheme: { type: 'bearer', token: '{{field.key}}' } },
        ],
      },
      'authenticationMethods[1].scheme.token',
      /field.key/,
    ],
    ['an unknown setting', { baseUrl: '{{setting.url}}' }, 'baseUrl', /setting.url/],
    ['a setting that is not used', { settings: ['url'] }, 'settings[0]', /not used/],
    [
      'a template with a typo',
      tool({ request: { url: '/{{input.id}}', query: { q: '{{inptu.id}}' } } }),
      'tools[0].request.query.q',
      /not a template/,
    ],
    [
      'a page where nothing is paged',
      tool({ request: { url: '/{{input.id}}', query: { q: '{{page.top}}' } } }),
      'tools[0].request.query.q',
      /page.top/,
    ],
    ['a relative URL without base', { baseUrl: null }, 'tools[0].request.url', /no baseUrl/],
    [
      'a URL of another scheme',
      tool({ request: { url: 'file:///etc/{{input.id}}' } }),
      'tools[0].request.url',
      /must begin/,
    ],
    [
      'a filter on no output field',
      listTool({ filters: { ...listThings.filters, fields: ['nope'] } }),
      'tools[0].filters.fields[0]',
      /no property 'nope'/,
    ],
    [
      'a sort on no output field',
      listTool({ sorts: { ...listThings.sorts, fields: ['nope'] } }),
      'tools[0].sorts.fields[0]',
      /no property 'nope'/,
    ],
    [
      'any field where no handler runs',
      listTool({ filters: { ...listThings.filters, fields: ['*'] } }),
      'tools[0].filters.fields',
      /handler/,
    ],
    [
      'a filter that is not sent',
      listTool({ filters: { fields: ['id'] } }),
      'tools[0].filters.query',
      /required/,
    ],
    [
      'paging by a handler without one',
      listTool({ paging: { type: 'handler' } }),
      'tools[0].paging',
      /handler/,
    ],
    [
      'a list without items',
      listTool({ filters: null, sorts: null, outputSchema: { type: 'object' } }),
      'tools[0].outputSchema',
      /items/,
    ],
    [
      'a trigger type without the prefix of its connector',
      { triggerTypes: [{ ...thingCreated, slug: 'thing-created' }] },
      'triggerTypes[0].slug',
      /acme-/,
    ],
    [
      'two trigger types of one slug',
      { triggerTypes: [thingCreated, thingCreated] },
      'triggerTypes[1].slug',
      /another trigger type/,
    ],
    [
      'a trigger type of a kind that nobody knows',
      { triggerTypes: [{ ...thingCreated, kind: 'magic' }] },
      'triggerTypes[0].kind',
      /poll/,
    ],
    [
      'a configSchema that is no schema',
      { triggerTypes: [{ ...thingCreated, configSchema: { type: 'object', required: 1 } }] },
      'triggerTypes[0].configSchema',
      /not a valid JSON Schema/,
    ],
    [
      'a payloadSchema that refers to nothing',
      { triggerTypes: [{ ...thingCreated, payloadSchema: { $ref: '#/schemas/nope' } }] },
      'triggerTypes[0].payloadSchema',
      /no schema 'nope'/,
    ],
  ])('%s is refused, with line and path', (_guarantee, members, path, message) => {
    const problem = problemsOf(members).find((candidate) => candidate.path === path);
    expect(problem?.message).toMatch(message);
    expect(problem?.line).toBeGreaterThan(0);
  });
});

describe('client credentials', () => {
  it('need no authorization URL', () => {
    expect(
      problemsOf({ kind: 'Regular', authenticationMethods: [apiKeyMethod, clientCredentialsMethod] }),
    ).toEqual([]);
  });
});
