import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect } from 'vitest';
import { expectStatus } from './support/accounts.ts';
import { asOther, expectError, get, post, put } from './support/api.ts';
import {
  createConnection,
  createCrmConnection,
  createMcpConnection,
  removeConnection,
} from './support/connections.ts';
import { row } from './support/row.ts';

let crm: number;
beforeAll(async () => {
  crm = (await createCrmConnection('Passthrough')).id;
});

const request = (id: number, body: unknown, query = ''): ReturnType<typeof post> =>
  post(`/v1/connections/${id}/request${query}`, body);

const PHOTO = 'key-crm-get-photo-of-the-person-whom-the-crm-knows-by-the-key-that-was-sent';
const PICTURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0xff, 0x00]);

/** Requests that reached the test's own vendor, whose connection belongs to the application `http`. */
const received: { url: string; headers: Record<string, unknown>; body: string }[] = [];
const vendor = createServer((incoming, response) => {
  let body = '';
  incoming.setEncoding('utf8').on('data', (text: string) => (body += text));
  incoming.on('end', () => {
    received.push({ url: incoming.url ?? '', headers: incoming.headers, body });
    if (incoming.url === '/api/away') response.writeHead(302, { location: 'https://example.com/' }).end();
    else if (incoming.url === '/api/picture')
      response.writeHead(200, { 'content-type': 'image/png' }).end(PICTURE);
    else response.end('seen');
  });
});
let own: number;
const KEY = `key-${randomUUID()}`;
beforeAll(async () => {
  await once(vendor.listen(0, '127.0.0.1'), 'listening');
  const { port } = vendor.address() as AddressInfo;
  const fields = { baseUrl: `http://127.0.0.1:${port}/api`, headerName: 'x-api-key', apiKey: KEY };
  own = (
    await createConnection({ applicationSlug: 'http', connectionName: 'Own', authenticationId: 1, fields })
  ).id;
});
afterAll(() => void vendor.close());

row(
  ['completion.applications-and-tools.73', 'completion.applications-and-tools.75'],
  'a request reaches the vendor’s API with the connection’s credential and answers as a tool execution, with history',
  async () => {
    const email = `${randomUUID()}@example.com`;
    const created = await request(crm, { method: 'POST', path: '/contacts', body: { name: 'Ada', email } });
    expect(created.status, created.text).toBe(200);
    expect(created.body).toMatchObject({
      isSuccess: true,
      output: { status: 201, headers: expect.any(Object), body: { name: 'Ada', email } },
      historyId: expect.any(Number),
      executionInfo: {
        connectionId: crm,
        connectionResolution: 'explicit',
        applicationSlug: 'sandbox-crm',
        toolSlug: 'sandbox-crm-request',
        attempts: 1,
      },
    });
    const row = await get(`/v1/executions/${created.body.historyId}`);
    expect(row.body).toMatchObject({
      toolSlug: 'sandbox-crm-request',
      applicationSlug: 'sandbox-crm',
      connectionId: crm,
      isSuccess: true,
      fields: { method: 'POST', path: '/contacts', body: { email } },
      output: { status: 201 },
    });
    const list = await get('/v1/executions?toolSlug=sandbox-crm-request');
    expect(list.body.items.map((it: { historyId: number }) => it.historyId)).toContain(
      created.body.historyId,
    );
    const failed = await request(crm, { path: '/contacts/no-such-contact' });
    expect(failed.body).toMatchObject({ isSuccess: false, historyId: expect.any(Number) });
    expect(failed.body.errorMessage).toContain('404');
  },
);

row(
  'completion.applications-and-tools.73',
  'query, headers and body are sent; the credential’s header is not the caller’s to replace; secrets are masked',
  async () => {
    received.length = 0;
    const body = {
      method: 'PUT',
      path: 'things/1?a=1',
      query: { b: ['2', '3'], c: true },
      headers: { 'X-Api-Key': 'mine', 'x-note': KEY },
      body: 'text',
    };
    const answer = await request(own, body);
    expect(answer.body).toMatchObject({ isSuccess: true, output: { status: 200, body: 'seen' } });
    expect(received).toMatchObject([
      { url: '/api/things/1?a=1&b=2&b=3&c=true', headers: { 'x-api-key': KEY }, body: 'text' },
    ]);
    const { fields } = (await get(`/v1/executions/${answer.body.historyId}`)).body;
    expect(fields.headers).toEqual({ 'x-api-key': 'mine', 'x-note': '***' });
    const away = await request(own, { path: '/away' });
    expect(away.body.output).toMatchObject({ status: 302, headers: { location: 'https://example.com/' } });
    expect(received).toHaveLength(2);
    const dry = await request(own, { path: '/x' }, '?dryRun=true');
    expect(dry.body).toMatchObject({ isSuccess: true, historyId: null, output: { method: 'GET' } });
    expect(dry.text).not.toContain(KEY);
    // Services pass a large output on as text.
    const texts = Array(4_000).fill('"é" and \\ more');
    for (const [sent, shown] of [
      [{ texts }, { texts }],
      [
        { texts, note: KEY },
        { texts, note: '***' },
      ],
    ]) {
      const large = await request(own, { method: 'POST', path: '/x', body: sent }, '?dryRun=true');
      expect(large.body).toMatchObject({ isSuccess: true, historyId: null, output: { body: shown } });
    }
    expect(received).toHaveLength(2);
  },
);

row(
  'completion.applications-and-tools.74',
  'a path that leads outside the base URL is VALIDATION_ERROR and reaches nobody, however it is written',
  async () => {
    received.length = 0;
    const { port } = vendor.address() as AddressInfo;
    const outside = [
      'https://example.com/',
      `http://127.0.0.1:${port}/other`,
      `http://127.0.0.1:${port}/apis`,
      `https://127.0.0.1:${port}/api/x`,
      `http://user:password@127.0.0.1:${port}/api/x`,
      `http://127.0.0.1:${port}@example.com/api/x`,
      '//example.com/api/x',
      '\\\\example.com\\api',
      '/\\example.com',
      '../other',
      'a/../../other',
      '%2e%2e/other',
      'a/..%2f..%2fother',
      '..%5cother',
      '%252e%252e%252fother',
      'file:///etc/passwd',
      'javascript:alert(1)',
    ];
    for (const path of outside) {
      expectError(await request(own, { path }), 400, 'VALIDATION_ERROR', ['path']);
      expectError(await request(own, { path }, '?dryRun=true'), 400, 'VALIDATION_ERROR', ['path']);
    }
    for (const [headers, field] of [
      [{ host: 'example.com' }, 'headers'],
      [{ 'transfer-encoding': 'chunked' }, 'headers'],
    ] as const)
      expectError(await request(own, { path: 'x', headers }), 400, 'VALIDATION_ERROR', [field]);
    expect(received).toEqual([]);
    const whole = await request(own, { path: `http://127.0.0.1:${port}/api/x` });
    expect(whole.body.isSuccess).toBe(true);
    expectError(await request(own, {}), 400, 'VALIDATION_ERROR', ['path']);
    expectError(await request(own, { path: 'x', method: 'STEAL' }), 400, 'INVALID_ENUM_VALUE', ['method']);
    expectError(await request(own, { path: 'x', query: { a: {} } }), 400, 'VALIDATION_ERROR');
  },
);

row(
  'completion.applications-and-tools.76',
  'an application without a base URL is VALIDATION_ERROR',
  async () => {
    const { id } = await createMcpConnection();
    expectError(await request(id, { path: '/x' }), 400, 'VALIDATION_ERROR', ['path']);
    const bare = await createConnection({
      applicationSlug: 'http',
      connectionName: 'Bare',
      authenticationId: 0,
    });
    expectError(await request(bare.id, { path: 'https://example.com/' }), 400, 'VALIDATION_ERROR', ['path']);
  },
);

row(
  ['completion.applications-and-tools.70', 'completion.applications-and-tools.73'],
  'a request needs tools.execute, a connection of the account’s own and a licence',
  async () => {
    expectError(await post(`/v1/connections/${crm}/request`, { path: '/me' }, asOther), 404, 'NOT_FOUND');
    expectError(await request(2_000_000_000, { path: '/me' }), 404, 'NOT_FOUND');
    const { id } = await createCrmConnection('Unlicensed');
    expectStatus(await put(`/admin/v1/connections/${id}/licence`, { status: 'none' }), 200);
    expectError(await request(id, { path: '../x' }), 403, 'CONNECTION_BLOCKED');
    const path = `/v1/connections/${crm}/request`;
    expectError(await post(path, { path: '/me' }, { apiKey: null }), 401, 'UNAUTHORIZED');
  },
);

row('completion.everywhere.42', 'the same Idempotency-Key sends a request once', async () => {
  received.length = 0;
  const headers = { 'idempotency-key': randomUUID() };
  const send = () => post(`/v1/connections/${own}/request`, { method: 'POST', path: 'once' }, { headers });
  const [first, second] = [await send(), await send()];
  expect(second.text).toBe(first.text);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(received).toHaveLength(1);
});

row(
  'completion.applications-and-tools.72',
  'a binary body of a response becomes a file: of a request and of a tool, and the history has no bytes',
  async () => {
    const { port } = vendor.address() as AddressInfo;
    const fields = { url: `http://127.0.0.1:${port}/api/picture` };
    for (const answer of [
      await request(own, { path: '/picture' }),
      await post(`/v1/tools/http-send-request/execute?connectionId=${own}`, { fields }),
    ]) {
      expect(answer.body, answer.text).toMatchObject({ isSuccess: true, output: { status: 200 } });
      const { url, ...reference } = answer.body.output.body;
      expect(reference).toEqual({
        fileId: expect.stringMatching(/^file_/),
        sizeBytes: PICTURE.length,
        sha256: createHash('sha256').update(PICTURE).digest('hex'),
        contentType: 'image/png',
      });
      const content = await (await fetch(url)).arrayBuffer();
      expect(Buffer.from(content).equals(PICTURE)).toBe(true);
      const file = await get(`/v1/files/${reference.fileId}`);
      expect(file.body).toMatchObject(reference);
      const { output } = (await get(`/v1/executions/${answer.body.historyId}`)).body;
      expect(output.body).toEqual(reference);
    }
  },
);

row(
  'completion.applications-and-tools.72',
  'a binary response becomes a file where the tool’s output is a part of it, and so does what an MCP tool returns in bytes',
  async () => {
    const { port } = vendor.address() as AddressInfo;
    const fields = { address: `http://127.0.0.1:${port}`, apiToken: KEY };
    const { id } = await createConnection({ applicationSlug: 'key-crm', connectionName: 'Photos', fields });
    const execute = async (tool: string, connectionId: number, body: object = {}): Promise<any> => {
      const answer = await post(`/v1/tools/${tool}/execute?connectionId=${connectionId}`, { fields: body });
      expect(answer.body, answer.text).toMatchObject({ isSuccess: true });
      return answer.body;
    };
    const mapped = await execute(PHOTO, id);
    const { url, ...reference } = mapped.output.body;
    expect(reference).toMatchObject({ sizeBytes: PICTURE.length, contentType: 'image/png' });
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(PICTURE)).toBe(true);
    const kept = (await get(`/v1/executions/${mapped.historyId}`)).body.output;
    expect(kept).toMatchObject({ status: 200, body: reference });
    await removeConnection(id);

    const mcp = await createMcpConnection('Pictures');
    const image = await execute('get-tiny-image', mcp.id);
    const [text, { data, ...block }] = image.output.content;
    expect([text.type, block]).toEqual(['text', { type: 'image', mimeType: 'image/png' }]);
    const content = Buffer.from(await (await fetch(data.url)).arrayBuffer());
    expect(content.subarray(0, 4)).toEqual(PICTURE.subarray(0, 4));
    expect(data).toEqual({
      fileId: expect.stringMatching(/^file_/),
      url: expect.any(String),
      sizeBytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      contentType: 'image/png',
    });
    const { url: _address, ...file } = data;
    const stored = (await get(`/v1/executions/${image.historyId}`)).body.output.content[1];
    expect(stored).toEqual({ ...block, data: file });
    const blob = await execute('get-resource-reference', mcp.id, { resourceType: 'Blob', resourceId: 1 });
    const resources = blob.output.content.filter(({ type }: { type: string }) => type === 'resource');
    expect(resources).toMatchObject([
      { resource: { uri: expect.any(String), blob: { fileId: expect.stringMatching(/^file_/) } } },
    ]);
    await removeConnection(mcp.id);
  },
);

row(
  'completion.applications-and-tools.71',
  'a tool input of format file takes a file of the account, an address or the content itself; the history has no content',
  async () => {
    const { port } = vendor.address() as AddressInfo;
    const base = `http://127.0.0.1:${port}/api`;
    const send = (file: unknown) =>
      post(`/v1/tools/http-send-request/execute?connectionId=${own}`, {
        fields: { method: 'POST', url: 'file', file },
      });
    const uploaded = await post('/v1/files', undefined, {
      raw: 'the stored file',
      headers: { 'content-type': 'text/css' },
    });
    const { fileId } = uploaded.body;
    const inline = { base64: Buffer.from('inline').toString('base64'), name: 'a.txt' };
    for (const [file, body, type] of [
      [{ fileId }, 'the stored file', 'text/css'],
      [inline, 'inline', 'application/octet-stream'],
      [{ url: `${base}/text` }, 'seen', 'application/octet-stream'],
    ] as const) {
      received.length = 0;
      const answer = await send(file);
      expect(answer.body.isSuccess, answer.text).toBe(true);
      expect(received.at(-1)).toMatchObject({ url: '/api/file', headers: { 'content-type': type }, body });
      const { fields } = (await get(`/v1/executions/${answer.body.historyId}`)).body;
      expect(fields.file).toEqual(file === inline ? { name: 'a.txt', sizeBytes: 6 } : file);
    }
    received.length = 0;
    for (const wrong of [{}, { fileId, url: base }, { base64: 'eA==' }, { url: 'file:///etc/passwd' }, 'x'])
      expectError(await send(wrong), 400, 'VALIDATION_ERROR', ['fields.file']);
    expectError(await send({ url: 'http://169.254.169.254/' }), 400, 'VALIDATION_ERROR', ['fields.file.url']);
    expectError(await send({ fileId: 'con_1' }), 400, 'VALIDATION_ERROR', ['fields.file.fileId']);
    expectError(await send({ fileId: 'file_0000000000000000000000' }), 404, 'NOT_FOUND');
    const foreign = await post('/v1/files', undefined, {
      ...asOther,
      raw: 'x',
      headers: { 'content-type': 'text/css' },
    });
    expectError(await send({ fileId: foreign.body.fileId }), 404, 'NOT_FOUND');
    expect(received).toEqual([]);
  },
);
