import type { Connector } from '@fairlead/connector-model/model';
import { describe, expect, it } from 'vitest';
import { CONTACTS, contactsWith, imported, issuesOf } from '../testing/documents.ts';

function connectorOf(...given: Parameters<typeof imported>): Connector {
  const { connector, answer } = imported(...given);
  if (connector === undefined) throw new Error(JSON.stringify(answer));
  return connector;
}

const contains = (text: string): unknown => expect.stringContaining(text);

function toolOf(connector: Connector, slug: string): Connector['tools'][number] {
  const tool = connector.tools.find(({ toolSlug }) => toolSlug === slug);
  if (tool === undefined)
    throw new Error(`no tool ${slug}: ${connector.tools.map((t) => t.toolSlug).join()}`);
  return tool;
}

describe('an application of a document', () => {
  const { connector: found, answer } = imported(CONTACTS);
  const connector = found ?? connectorOf(CONTACTS);

  it('has the name, the text and the server of the document', () => {
    expect(connector).toMatchObject({
      slug: 'acme',
      name: 'Acme CRM',
      description: 'Contacts of Acme .',
      version: '2.1.0',
      maturity: 'generated',
      kind: 'Key',
      baseUrl: 'https://eu.acme.test/v1',
    });
  });

  it('signs in as its security schemes say', () => {
    expect(connector.authenticationMethods).toMatchObject([
      {
        authenticationId: 0,
        isDefault: true,
        fields: [{ name: 'apiKey', isPassword: true, isRequired: true }],
        scheme: { type: 'apiKey', in: 'header', name: 'X-Api-Key', value: '{{field.apiKey}}' },
      },
    ]);
  });

  it('has a tool for each operation, with the names and texts of the document', () => {
    expect(connector.tools.map(({ toolSlug }) => toolSlug)).toEqual([
      'list-contacts',
      'create-contact',
      'delete-contacts-id',
    ]);
    expect(toolOf(connector, 'list-contacts')).toMatchObject({
      toolName: 'List contacts',
      description: 'Returns contacts by name.',
      category: 'Contacts',
      retryClass: 'readOnly',
      paging: { type: 'page', sizeQuery: 'per_page', pageQuery: 'page', pageSize: 50 },
    });
  });

  it('sends each parameter under the name that the vendor knows', () => {
    const { inputSchema, execution } = toolOf(connector, 'list-contacts');
    expect(inputSchema['properties']).toEqual({
      filter_name: { type: 'string', description: 'Filter name.' },
      X_Trace: { type: 'string', description: 'Id of a trace.' },
    });
    expect(execution).toMatchObject({
      request: {
        query: { 'filter[name]': '{{input.filter_name}}' },
        headers: { 'X-Trace': '{{input.X_Trace}}' },
      },
    });
  });

  it('takes the members of a body as inputs, without those that only the vendor sets and without patterns that cost much', () => {
    const { inputSchema, execution } = toolOf(connector, 'create-contact');
    expect(inputSchema).toMatchObject({
      properties: {
        name: { type: 'string', description: 'Full name.' },
        manager: { description: 'Manager.' },
      },
      required: ['name'],
    });
    expect(JSON.stringify(inputSchema)).not.toContain('pattern');
    expect(execution).toMatchObject({
      request: { body: { name: '{{input.name}}', manager: '{{input.manager}}' } },
    });
  });

  it('says of each operation that became no tool why', () => {
    expect(answer).toMatchObject({
      skipped: [
        { operationId: 'replaceContact', method: 'PUT', path: '/contacts/{id}', reason: /deprecated/ },
        { operationId: 'sendPhoto', method: 'POST', path: '/photos', reason: /image\/png cannot be sent/ },
      ].map((each) => ({ ...each, reason: expect.stringMatching(each.reason) as unknown })),
    });
  });
});

describe('named operations', () => {
  it('are the only ones, also deprecated ones, and may have a slug and a text of the caller', () => {
    const connector = connectorOf(CONTACTS, {
      operations: [
        { operationId: 'replaceContact', toolSlug: 'acme-put-contact', description: 'Replaces <i>all</i>.' },
        { method: 'get', path: '/contacts' },
      ],
    });
    expect(connector.tools.map(({ toolSlug }) => toolSlug)).toEqual(['acme-put-contact', 'list-contacts']);
    expect(toolOf(connector, 'acme-put-contact')).toMatchObject({
      description: 'Replaces all .',
      execution: { request: { url: '/contacts/{{input.id}}' } },
    });
  });

  it.each([
    [[{ operationId: 'nope' }], 'operations[0].operationId: the document has no operation nope'],
    [[{ method: 'GET', path: '/nope' }], 'operations[0].path: the document has no operation GET /nope'],
    [
      [{ operationId: 'listContacts' }, { method: 'GET', path: '/contacts' }],
      'operations[1]: names the same operation as operations[0]',
    ],
    [
      [{ operationId: 'listContacts', toolSlug: 'A B' }],
      'operations[0].toolSlug: must be lower-case letters and digits, separated by - _ or .',
    ],
    [
      [
        { operationId: 'listContacts', toolSlug: 'a' },
        { operationId: 'createContact', toolSlug: 'a' },
      ],
      'operations[1].toolSlug: a is the slug of another tool',
    ],
  ])('%j is refused', (operations, issue) => {
    expect(issuesOf(CONTACTS, { operations })).toEqual([issue]);
  });
});

describe('the address', () => {
  it.each([
    [
      { servers: [{ url: '/api' }] },
      { documentUrl: 'https://acme.test/docs/openapi.json' },
      'https://acme.test/api',
    ],
    [{ servers: undefined }, { documentUrl: 'https://acme.test/docs/openapi.json' }, 'https://acme.test'],
    [{}, { baseUrl: 'http://127.0.0.1:8080/' }, 'http://127.0.0.1:8080'],
  ])('%j with %j is %s', (members, job, address) => {
    expect(connectorOf(contactsWith(members), job).baseUrl).toBe(address);
  });

  it.each([
    [{ servers: [{ url: '/api' }] }, {}, 'baseUrl: is required'],
    [{ servers: [{ url: 'https://{{field.apiKey}}.evil.test' }] }, {}, 'baseUrl: is required'],
    [{}, { baseUrl: 'https://user:secret@acme.test' }, 'baseUrl: must be an http or https URL'],
  ])('%j with %j is refused', (members, job, issue) => {
    expect(issuesOf(contactsWith(members), job)).toEqual([expect.stringContaining(issue)]);
  });
});

describe('ways to sign in', () => {
  const schemes = (securitySchemes: unknown, security: unknown) =>
    contactsWith({ components: { ...Object(CONTACTS['components']), securitySchemes }, security });
  const flow = {
    authorizationUrl: '/authorize',
    tokenUrl: 'https://id.acme.test/token',
    scopes: { read: '', all: '' },
  };

  it.each([
    [{ a: { type: 'http', scheme: 'Bearer' } }, [{ a: [] }], ['bearer'], 'Regular'],
    [{ a: { type: 'http', scheme: 'basic' } }, [{ a: [] }], ['basic'], 'Regular'],
    [{ a: { type: 'apiKey', in: 'query', name: 'key' } }, [{}, { a: [] }], ['apiKey'], 'Key'],
    [{}, undefined, ['none'], 'Regular'],
  ])('%j are methods', (given, security, types, kind) => {
    const connector = connectorOf(schemes(given, security));
    expect(connector.authenticationMethods.map(({ scheme }) => scheme.type)).toEqual(types);
    expect(connector.kind).toBe(kind);
  });

  it('OAuth 2 asks for the scopes that the operations name, after direct credentials', () => {
    const connector = connectorOf(
      schemes(
        {
          oauth: { type: 'oauth2', flows: { authorizationCode: flow, clientCredentials: flow } },
          token: { type: 'http', scheme: 'bearer' },
        },
        [{ oauth: ['read'] }, { token: [] }],
      ),
    );
    expect(connector.authenticationMethods).toMatchObject([
      { scheme: { type: 'bearer' }, isDefault: true },
      {
        scheme: {
          grant: 'authorizationCode',
          authorizationUrl: 'https://eu.acme.test/authorize',
          tokenUrl: 'https://id.acme.test/token',
          scopes: ['read'],
          allowsAuthProvider: true,
        },
      },
      { scheme: { grant: 'clientCredentials', authorizationUrl: null } },
    ]);
  });

  it('schemes that cannot be used alone need the caller’s word', () => {
    const document = schemes({ a: { type: 'openIdConnect' } }, [{ a: [] }]);
    expect(issuesOf(document)).toEqual([expect.stringContaining('authentication: none of the document')]);
    const connector = connectorOf(document, { authentication: { type: 'bearer' } });
    expect(connector.authenticationMethods.map(({ scheme }) => scheme.type)).toEqual(['bearer']);
  });
});

it('a document of Swagger 2.0 has a host, a base path and bodies among its parameters', () => {
  const connector = connectorOf({
    swagger: '2.0',
    info: { title: 'Old', version: '1' },
    host: 'old.acme.test',
    basePath: '/api',
    securityDefinitions: { basic: { type: 'basic' } },
    paths: {
      '/notes': {
        post: {
          operationId: 'notes_create',
          parameters: [
            {
              name: 'note',
              in: 'body',
              schema: { type: 'object', properties: { text: { type: 'string' } } },
            },
          ],
          responses: { 200: { schema: { type: 'object', properties: { id: { type: 'integer' } } } } },
        },
      },
    },
  });
  expect(connector).toMatchObject({
    baseUrl: 'https://old.acme.test/api',
    authenticationMethods: [{ scheme: { type: 'basic' } }],
    tools: [{ toolSlug: 'notes-create', execution: { request: { body: { text: '{{input.text}}' } } } }],
  });
});

it.each([
  { type: 'string', format: 'binary' },
  { type: 'string', contentMediaType: 'image/png' },
])('an upload whose part is %j takes a file', (photo) => {
  const file = { type: 'object', properties: { photo } };
  const connector = connectorOf(
    contactsWith({
      paths: {
        '/photos': {
          post: {
            operationId: 'upload',
            requestBody: { content: { 'multipart/form-data': { schema: file } } },
            responses: { 204: {} },
          },
        },
      },
    }),
  );
  expect(toolOf(connector, 'upload')).toMatchObject({
    inputSchema: { properties: { photo: { type: 'object', format: 'file' } } },
    execution: { request: { encoding: { type: 'multipart' } } },
  });
});

it('an operation with a server of its own, or a path that is not described, is no tool', () => {
  const ok = { responses: { 204: {} } };
  const { answer } = imported(
    contactsWith({
      paths: {
        '/a': { get: { ...ok, servers: [{ url: 'https://other.test' }] } },
        '/b/{id}': { get: ok },
        '/c/{{field.apiKey}}': { get: ok },
        '/d': { get: ok },
      },
    }),
  );
  expect(answer).toMatchObject({
    kind: 'imported',
    skipped: [
      { path: '/a', reason: contains('server of its own') },
      { path: '/b/{id}', reason: contains('id of its path') },
      { path: '/c/{{field.apiKey}}', reason: contains('double braces') },
    ],
  });
});

it('an operation whose inputs are in another document, or nowhere, is no tool', () => {
  const ok = { responses: { 204: {} } };
  const file = 'common.yaml#/Note';
  const body = { content: { 'application/json': { schema: { $ref: file } } } };
  const { answer } = imported(
    contactsWith({
      paths: {
        '/a': { post: { ...ok, requestBody: body } },
        '/b': { post: { ...ok, requestBody: { $ref: file } } },
        '/c': { get: { ...ok, parameters: [{ $ref: '#/components/parameters/none' }] } },
        '/d': { parameters: [{ $ref: file }], get: ok },
        '/e': { $ref: './e.yaml' },
        '/f': { get: ok },
      },
    }),
  );
  const reason = `It refers to ${file}, which is not in the document.`;
  expect(answer).toMatchObject({
    kind: 'imported',
    skipped: [
      { path: '/a', reason },
      { path: '/b', reason },
      { path: '/c', reason: contains('#/components/parameters/none') },
      { path: '/d', reason },
      { method: '*', path: '/e', reason: contains('./e.yaml') },
    ],
  });
});

it('a document without a usable operation is refused with the reason of the first', () => {
  const document = contactsWith({ paths: { '/b/{id}': { get: { responses: {} } } } });
  expect(issuesOf(document)).toEqual([
    expect.stringContaining('operations: none of them can be a tool; GET /b/{id}'),
  ]);
  expect(issuesOf(contactsWith({ paths: {} }))).toEqual(['operations: the document has no operation']);
});
