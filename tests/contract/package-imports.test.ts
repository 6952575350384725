import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';
import type { TestServer } from '@fairlead/connector-runtime/testing/http-server';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { expectStatus } from './support/accounts.ts';
import { del, expectError, post } from './support/api.ts';
import { createConnection, removeConnection } from './support/connections.ts';
import { row } from './support/row.ts';

const IMPORT = '/admin/v1/applications/import';
const KEY = 'the key of a customer';

let vendor: TestServer;
beforeAll(async () => {
  vendor = await startTestServer(() => ({ body: [{ id: 'n1', text: 'Bring the logs' }] }));
});
afterAll(() => vendor.close());

const slugs: string[] = [];
const connections: number[] = [];
afterEach(async () => {
  for (const id of connections.splice(0)) await removeConnection(id);
  for (const slug of slugs.splice(0)) await del(`/admin/v1/applications/${slug}`);
});

row(
  ['completion.administration.24'],
  'a piece that the operator allows is imported, and its tools run',
  async () => {
    const piece = { source: 'piece', slug: 'acme-notes', package: 'acme-piece', version: '1.0.0' };
    const created = await post(IMPORT, piece);
    expectStatus(created, 201);
    slugs.push('acme-notes');
    expect(created.body).toMatchObject({
      slug: 'acme-notes',
      name: 'Acme notes',
      kind: 'Regular',
      skipped: [],
    });
    const { id } = await createConnection({
      applicationSlug: 'acme-notes',
      connectionName: 'Notes',
      authenticationId: 0,
      fields: { secret: KEY },
    });
    connections.push(id);
    const fields = { url: `${vendor.url}/notes`, text: 'Bring the logs' };
    const executed = await post('/v1/tools/add-note/execute?applicationSlug=acme-notes', { fields });
    expect(executed.body, executed.text).toMatchObject({
      isSuccess: true,
      output: { status: 200, notes: [{ id: 'n1' }] },
    });
    expect(vendor.requests.at(-1)).toMatchObject({
      method: 'POST',
      path: '/notes',
      headers: { 'x-key': KEY },
    });
    const confined = await post('/v1/tools/read-environment/execute?applicationSlug=acme-notes', {
      fields: {},
    });
    expect(confined.body).toMatchObject({ isSuccess: false });
    expect(confined.text).toContain('FileSystemRead /proc/self/environ');
    const dry = await post('/v1/tools/add-note/execute?applicationSlug=acme-notes&dryRun=true', { fields });
    expectStatus(dry, 200);
    expect(dry.text).not.toContain(KEY);
    expectError(await post(IMPORT, { ...piece, slug: 'acme-2', version: '1.0.1' }), 403, 'FORBIDDEN');
  },
);

row(
  ['completion.administration.23', 'completion.administration.24'],
  'an MCP server in a package that the operator allows becomes an application, whose tools run in a worker',
  async () => {
    const server = { source: 'mcp', slug: 'acme-server', package: 'acme-server', version: '1.0.0' };
    const created = await post(IMPORT, server);
    expectStatus(created, 201);
    slugs.push('acme-server');
    expect(created.body).toMatchObject({
      name: 'Acme notes',
      kind: 'Regular',
      toolCount: 3,
      skipped: [],
      authenticationMethods: [{ authenticationId: 0, fields: [{ name: 'key', isPassword: true }] }],
    });
    const { id } = await createConnection({
      applicationSlug: 'acme-server',
      connectionName: 'Notes',
      authenticationId: 0,
      fields: { key: KEY },
    });
    connections.push(id);
    const fields = { url: `${vendor.url}/notes`, text: 'Bring the logs' };
    const executed = await post('/v1/tools/add-note/execute?applicationSlug=acme-server', { fields });
    expect(executed.body, executed.text).toMatchObject({
      isSuccess: true,
      output: { status: 200, notes: [{ id: 'n1' }] },
    });
    expect(vendor.requests.at(-1)).toMatchObject({ method: 'POST', headers: { 'x-key': KEY } });
    const confined = await post('/v1/tools/read-environment/execute?applicationSlug=acme-server', {
      fields: {},
    });
    expect(confined.body).toMatchObject({ isSuccess: false });
    expect(confined.text).toContain('/proc/self/environ');
    const drawn = await post('/v1/tools/draw/execute?applicationSlug=acme-server', { fields: {} });
    const [image] = drawn.body.output.content;
    expect(image).toMatchObject({
      type: 'image',
      data: { contentType: 'image/png', url: expect.any(String) },
    });
    const other = { ...server, slug: 'acme-2' };
    expectError(await post(IMPORT, { ...other, version: '1.0.1' }), 403, 'FORBIDDEN');
    expectError(await post(IMPORT, { ...other, version: undefined }), 400, 'VALIDATION_ERROR', ['version']);
    expectError(await post(IMPORT, { ...other, source: 'piece' }), 400, 'VALIDATION_ERROR', ['source']);
    const both = { ...other, serverUrl: vendor.url };
    expectError(await post(IMPORT, both), 400, 'VALIDATION_ERROR', ['package']);
  },
);
