import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';
import type { TestServer } from '@fairlead/connector-runtime/testing/http-server';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { expectStatus } from './support/accounts.ts';
import { asOther, del, expectError, expectList, get, post, stack } from './support/api.ts';
import { createConnection, createMcpConnection, removeConnection } from './support/connections.ts';
import { row } from './support/row.ts';

const IMPORT = '/admin/v1/applications/import';
const KEY = 'the key of a customer';

let vendor: TestServer;
beforeAll(async () => {
  vendor = await startTestServer(({ path }) => {
    if (path === '/openapi.json') return { body: documentOf('') };
    if (path.startsWith('/notes')) return { body: [{ id: 'n1', text: 'Bring the logs' }] };
    return { status: 500 };
  });
});
afterAll(() => vendor.close());

const slugs: string[] = [];
const connections: number[] = [];
afterEach(async () => {
  for (const id of connections.splice(0)) await removeConnection(id);
  for (const slug of slugs.splice(0)) await del(`/admin/v1/applications/${slug}`);
});

/** An OpenAPI description of the vendor; with an empty `server` the address is that of the document. */
function documentOf(server: string) {
  const note = { type: 'object', properties: { id: { type: 'string' }, text: { type: 'string' } } };
  const json = (schema: object) => ({ content: { 'application/json': { schema } } });
  return {
    openapi: '3.0.3',
    info: { title: 'Notes', version: '1.0.0' },
    servers: [{ url: server === '' ? '/' : server }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Notes-Key' } } },
    security: [{ key: [] }],
    paths: {
      '/notes': {
        get: {
          operationId: 'listNotes',
          summary: 'List the notes',
          parameters: [{ name: 'tag[]', in: 'query', schema: { type: 'string' } }],
          responses: { 200: json({ type: 'array', items: note }) },
        },
        post: { operationId: 'createNote', requestBody: json(note), responses: { 201: json(note) } },
        delete: { operationId: 'clearNotes', deprecated: true, responses: { 204: {} } },
      },
      '/notes/{id}': { get: { operationId: 'getNote', responses: { 200: json(note) } } },
    },
  };
}

async function importNotes(members: object = {}): Promise<{ readonly slug: string; readonly body: any }> {
  const slug = `notes-${Math.random().toString(36).slice(2)}`;
  const answer = await post(IMPORT, {
    source: 'openapi',
    slug,
    document: documentOf(vendor.url),
    ...members,
  });
  expectStatus(answer, 201);
  slugs.push(slug);
  return { slug, body: answer.body };
}

describe('an imported OpenAPI document', () => {
  row(
    [
      'completion.administration.21',
      'completion.administration.25',
      'completion.administration.27',
      'completion.applications-and-tools.19',
    ],
    'becomes an application of the account, whose tools have their own names and work with a connection',
    async () => {
      const { slug, body } = await importNotes();
      expect(body).toMatchObject({
        slug,
        name: 'Notes',
        kind: 'Key',
        maturity: 'generated',
        toolCount: 2,
        isAvailable: true,
        authenticationMethods: [
          { authenticationId: 0, isDefault: true, fields: [{ name: 'apiKey', isPassword: true }] },
        ],
        skipped: [
          {
            operationId: 'clearNotes',
            method: 'DELETE',
            path: '/notes',
            reason: expect.stringContaining('deprecated'),
          },
          {
            operationId: 'getNote',
            method: 'GET',
            path: '/notes/{id}',
            reason: expect.stringContaining('id'),
          },
        ],
      });
      const { skipped: _skipped, ...application } = body;
      expect((await get(`/admin/v1/applications/${slug}`)).body).toEqual(application);
      const tools = expectList(await get(`/v1/tools?applicationSlug=${slug}`)).items;
      expect(tools.map(({ toolSlug }) => String(toolSlug)).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
        'create-note',
        'list-notes',
      ]);
      expect(tools).toContainEqual(
        expect.objectContaining({ toolName: 'List the notes', description: 'List the notes' }),
      );

      const { id } = await createConnection({
        applicationSlug: slug,
        connectionName: 'Notes',
        authenticationId: 0,
        fields: { apiKey: KEY },
      });
      connections.push(id);
      const path = `/v1/tools/list-notes/execute?applicationSlug=${slug}`;
      const executed = await post(path, { fields: { tag: 'day' } });
      expect(executed.body, executed.text).toMatchObject({
        isSuccess: true,
        output: { items: [{ id: 'n1', text: 'Bring the logs' }] },
      });
      const request = vendor.requests.at(-1);
      expect([request?.path, request?.query.get('tag[]'), request?.headers['x-notes-key']]).toEqual([
        '/notes',
        'day',
        KEY,
      ]);
      const conflict = await del(`/admin/v1/applications/${slug}`);
      expectError(conflict, 409, 'CONFLICT');
      expect(conflict.body.candidates).toEqual([String(id)]);
    },
  );

  row(
    ['completion.administration.21'],
    'comes from an address or a file as well, and the caller chooses operations, their slugs and the way to sign in',
    async () => {
      const byUrl = await importNotes({
        document: undefined,
        url: `${vendor.url}/openapi.json`,
        operations: [{ method: 'POST', path: '/notes', toolSlug: 'notes-add', description: 'Adds a note.' }],
        authentication: { type: 'bearer' },
      });
      expect(byUrl.body).toMatchObject({ toolCount: 1, skipped: [], kind: 'Regular' });
      const { body } = await get(`/v1/tools/notes-add?applicationSlug=${byUrl.slug}`);
      expect(body).toMatchObject({ description: 'Adds a note.', inputSchema: { properties: { text: {} } } });

      const yaml = `openapi: 3.1.0\ninfo: {title: Filed}\nservers: [{url: '${vendor.url}'}]\npaths: {/notes: {get: {operationId: l, responses: {}}}}`;
      const headers = { 'content-type': 'application/yaml' };
      const file = expectStatus(await post('/v1/files', undefined, { raw: yaml, headers }), 201);
      const byFile = await importNotes({ document: undefined, fileId: file.body.fileId });
      expect(byFile.body).toMatchObject({ name: 'Filed', toolCount: 1 });
      const foreign = { source: 'openapi', slug: 'foreign', fileId: file.body.fileId };
      expectError(await post(IMPORT, foreign, asOther), 404, 'NOT_FOUND');
    },
  );

  row(
    ['completion.administration.26', 'completion.administration.27'],
    'cannot take a slug of the catalogue or of the account, and no other account sees it',
    async () => {
      const { slug } = await importNotes();
      const send = (taken: string, options = {}) =>
        post(IMPORT, { source: 'openapi', slug: taken, document: documentOf(vendor.url) }, options);
      expectError(await send(slug), 409, 'CONFLICT');
      expectError(await send('sandbox-crm'), 409, 'CONFLICT');
      expectError(await get(`/v1/applications/${slug}`, asOther), 404, 'NOT_FOUND');
      expectError(await get(`/admin/v1/applications/${slug}`, asOther), 404, 'NOT_FOUND');
      expectError(await del(`/admin/v1/applications/${slug}`, asOther), 404, 'NOT_FOUND');
      expectStatus(await send(slug, asOther), 201);
      expectStatus(await del(`/admin/v1/applications/${slug}`, asOther), 204);
      expectStatus(await get(`/v1/applications/${slug}`), 200);
      expectStatus(await del(`/admin/v1/applications/${slug}`), 204);
      expectError(await del(`/admin/v1/applications/${slug}`), 404, 'NOT_FOUND');
      expectError(await get(`/v1/applications/${slug}`), 404, 'NOT_FOUND');
      for (const path of ['sandbox-crm', 'no-such']) {
        expectError(await get(`/admin/v1/applications/${path}`), 404, 'NOT_FOUND');
        expectError(await del(`/admin/v1/applications/${path}`), 404, 'NOT_FOUND');
      }
    },
  );

  row(
    ['completion.administration.27'],
    'an application of an MCP connection goes with its connection',
    async () => {
      const { id, applicationSlug } = await createMcpConnection();
      connections.push(id);
      expectStatus(await get(`/admin/v1/applications/${applicationSlug}`), 200);
      expectError(await del(`/admin/v1/applications/${applicationSlug}`), 409, 'CONFLICT');
    },
  );
});

describe('an import that is refused names the member', () => {
  const document = { openapi: '3.0.0', paths: { '/a': { get: { responses: {} } } } };
  row(['completion.administration.21', 'completion.everywhere.73'], 'that has to change', async () => {
    const refused = async (members: object): Promise<string> => {
      const body = { source: 'openapi', slug: 'refused', ...members };
      const answer = await post(IMPORT, body);
      return `${answer.body.errorCode} ${(answer.body.details ?? []).map(({ field }: any) => field).join()}`;
    };
    expect(await refused({})).toBe('VALIDATION_ERROR document');
    expect(await refused({ document, url: vendor.url })).toBe('VALIDATION_ERROR url');
    expect(await refused({ document })).toBe('VALIDATION_ERROR baseUrl');
    expect(await refused({ document: { swagger: '1.2' } })).toBe('VALIDATION_ERROR document');
    expect(await refused({ document, slug: 'No Slug' })).toBe('VALIDATION_ERROR slug');
    expect(await refused({ document, slug: 'mcp-12' })).toBe('VALIDATION_ERROR slug');
    expect(await refused({ url: `${vendor.url}/broken` })).toBe('VALIDATION_ERROR url');
    expect(await refused({ url: 'http://169.254.169.254/openapi.json' })).toBe('VALIDATION_ERROR url');
    expect(await refused({ source: 'wsdl' })).toBe('INVALID_ENUM_VALUE source');
    const named = { baseUrl: vendor.url, document };
    expect(await refused({ ...named, operations: [{ operationId: 'no' }] })).toBe(
      'VALIDATION_ERROR operations[0].operationId',
    );
    expect(await refused({ ...named, operations: [{ path: '/a' }] })).toBe(
      'VALIDATION_ERROR operations[0].operationId',
    );
    expect(await refused({ ...named, authentication: { type: 'oauth2' } })).toBe(
      'VALIDATION_ERROR authentication.tokenUrl',
    );
    const many = { openapi: '3.0.0', 'x-values': Array.from({ length: 500_000 }, () => 0), paths: {} };
    expect(await refused({ document: many })).toBe('VALIDATION_ERROR body');
    const most = { ...document, 'x-values': Array.from({ length: 499_000 }, () => 0) };
    expect(await refused({ document: most })).toBe('VALIDATION_ERROR baseUrl');
  });
});

describe('an imported manifest', () => {
  const manifest = () => ({
    name: 'Notes',
    description: 'Notes of a team.',
    version: '1.0.0',
    baseUrl: vendor.url,
    authenticationMethods: [
      { authenticationId: 0, authenticationName: 'None', isDefault: true, scheme: { type: 'none' } },
    ],
    tools: [
      {
        toolSlug: 'team-notes-list',
        toolName: 'List notes',
        description: 'Returns the notes.',
        category: 'Notes',
        retryClass: 'readOnly',
        request: { url: '/notes' },
        outputSchema: { type: 'object', properties: { items: { type: 'array', items: { type: 'object' } } } },
        response: { type: 'list', itemsPointer: '' },
      },
    ],
  });

  row(
    ['completion.administration.22'],
    'becomes an application, and what is wrong in it is named',
    async () => {
      const created = await post(IMPORT, { source: 'manifest', slug: 'team-notes', manifest: manifest() });
      expectStatus(created, 201);
      slugs.push('team-notes');
      expect(created.body).toMatchObject({ slug: 'team-notes', toolCount: 1, skipped: [] });
      const { id } = await createConnection({
        applicationSlug: 'team-notes',
        connectionName: 'Notes',
        authenticationId: 0,
      });
      connections.push(id);
      const executed = await post('/v1/tools/team-notes-list/execute', {});
      expect(executed.body, executed.text).toMatchObject({
        isSuccess: true,
        output: { items: [{ id: 'n1' }] },
      });

      const wrong = { ...manifest(), version: 'x', slug: 'other' };
      const refused = await post(IMPORT, { source: 'manifest', slug: 'wrong', manifest: wrong });
      expectError(refused, 400, 'VALIDATION_ERROR', ['manifest.version']);
    },
  );

  row(['completion.administration.24'], 'a piece that the operator has not allowed is refused', async () => {
    const piece = {
      source: 'piece',
      slug: 'slack-2',
      package: '@activepieces/piece-slack',
      version: '0.1.0',
    };
    expectError(await post(IMPORT, piece), 403, 'FORBIDDEN');
  });
});

row(
  ['completion.administration.23'],
  'an MCP server becomes an application, whose tools run there',
  async () => {
    const serverUrl = stack.samples.mcpServerUrl;
    const created = await post(IMPORT, { source: 'mcp', slug: 'sample-server', serverUrl });
    expectStatus(created, 201);
    slugs.push('sample-server');
    expect(created.body).toMatchObject({ slug: 'sample-server', kind: 'Regular', skipped: [] });
    const { id } = await createConnection({
      applicationSlug: 'sample-server',
      connectionName: 'Sample',
      authenticationId: 0,
      fields: { serverUrl },
    });
    connections.push(id);
    const path = '/v1/tools/echo/execute?applicationSlug=sample-server';
    const executed = await post(path, { fields: { message: 'hello' } });
    expect(executed.body, executed.text).toMatchObject({ isSuccess: true });
    expect(executed.text).toContain('hello');
    const away = { source: 'mcp', slug: 'away', serverUrl: `${vendor.url}/nothing` };
    expectError(await post(IMPORT, away), 400, 'VALIDATION_ERROR', ['serverUrl']);
  },
);
