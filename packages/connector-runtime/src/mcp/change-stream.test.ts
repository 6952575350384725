import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '@fairlead/connector-model/json';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { testConnector, testCredential, testEgress, testMethod } from '../testing/calls.ts';
import { openEventWire } from '../testing/event-wire.ts';
import type { AnswerStream } from '../testing/event-wire.ts';
import { mcpResult, SERVER_INFO } from '../testing/mcp-server.ts';
import type { McpMessage } from '../testing/mcp-server.ts';
import { startSubscriptionServer } from '../testing/subscription-server.ts';
import { createFollowServer } from './change-stream.ts';

const egress = testEgress();
afterAll(() => egress.close());

/** Follows a server in the same way as a connection does. */
function follow(serverUrl: string, uris: readonly string[] = []) {
  const left = new AbortController();
  onTestFinished(() => left.abort());
  const told: [string, JsonObject][] = [];
  let opened = 0;
  const measured: string[] = [];
  const followServer = createFollowServer({
    egress,
    measure(accountId, work) {
      measured.push(accountId);
      return work();
    },
  });
  const owner = {
    connector: testConnector({ slug: 'mcp', kind: 'MCPClient' }),
    method: testMethod(),
    credential: testCredential({ serverUrl }),
  };
  const ended = followServer(owner, {
    accountId: 'acc_1',
    uris,
    signal: left.signal,
    onOpen: () => void (opened += 1),
    notify: (method, params) => void told.push([method, params]),
  });
  ended.catch(() => undefined);
  return { told, ended, left, measured, opened: () => opened };
}

/** A server whose responses the test writes. */
async function serve(answer: (request: IncomingMessage, body: string, response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, Buffer.concat(chunks).toString(), response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return `http://127.0.0.1:${port}/mcp`;
}

const messageIn = (body: string) => JSON.parse(body || '{}') as McpMessage;
const notice = (method: string, params: JsonObject = {}) =>
  `data: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`;
const initialized = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: { listChanged: true } },
  serverInfo: SERVER_INFO,
};
const TOOLS = 'notifications/tools/list_changed';

it('a server with sessions is followed on its stream until we leave', async () => {
  const server = await startSubscriptionServer(['x://1']);
  onTestFinished(() => server.close());
  const { told, ended, left, opened, measured } = follow(server.url, ['x://1', 'x://2']);
  await expect.poll(opened, { timeout: 90_000 }).toBe(1);
  expect(server.subscribed).toEqual(['x://1', 'x://2']);
  server.update('x://1');
  server.setTools(['a']);
  await expect
    .poll(() => told)
    .toEqual([
      ['notifications/resources/updated', { uri: 'x://1' }],
      [TOOLS, {}],
    ]);
  expect(new Set(measured)).toEqual(new Set(['acc_1']));
  left.abort();
  await expect(ended).rejects.toThrow('aborted');
  await expect.poll(() => server.streams()).toBe(0);
});

it('a server of 2026-07-28 is followed by the answer to one request', async () => {
  const url = await serve((_request, body, response) => {
    const { id, method, params } = messageIn(body);
    expect([method, params]).toMatchObject([
      'subscriptions/listen',
      { notifications: { toolsListChanged: true, resourceSubscriptions: ['x://1'] } },
    ]);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(notice('notifications/subscriptions/acknowledged'));
    response.write(notice(TOOLS));
    response.end(`data: ${JSON.stringify(mcpResult(id, {}))}\n\n`);
  });
  const { told, ended, opened } = follow(url, ['x://1']);
  expect(await ended).toBe('ended');
  expect([opened(), told]).toEqual([1, [[TOOLS, {}]]]);
});

it('a server on HTTP+SSE is followed on its stream, and gets answers to its pings', async () => {
  const wire = openEventWire();
  const answered: unknown[] = [];
  let stream: AnswerStream | undefined;
  const url = await serve((request, body, response) => {
    const answer = wire(request, response);
    const message = messageIn(body);
    if (answer === undefined) return;
    if (message.method === 'initialize')
      answer
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(mcpResult(message.id, initialized)));
    else answer.writeHead(200).end();
    if (message.method === 'notifications/initialized') stream = answer;
    if (message.method === undefined) answered.push(message);
  });
  const { told, opened } = follow(url);
  await expect.poll(opened, { timeout: 90_000 }).toBe(1);
  stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 'p', method: 'ping' })}\n\n`);
  stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 'r', method: 'roots/list' })}\n\n`);
  stream?.write(notice(TOOLS));
  await expect.poll(() => told).toEqual([[TOOLS, {}]]);
  await expect
    .poll(() => answered)
    .toEqual([
      { jsonrpc: '2.0', id: 'p', result: {} },
      { jsonrpc: '2.0', id: 'r', error: { code: -32_601, message: 'Method not found' } },
    ]);
});

it('a server on HTTP+SSE that repeats itself is sent nothing twice', async () => {
  const sent: (string | undefined)[] = [];
  let stream: ServerResponse | undefined;
  const url = await serve((request, body, response) => {
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      stream.write('event: endpoint\ndata: /messages\n\n'.repeat(3));
      return;
    }
    response.writeHead(request.url === '/messages' ? 202 : 405).end();
    if (request.url !== '/messages') return;
    const { id, method } = messageIn(body);
    sent.push(method);
    const answer = `data: ${JSON.stringify(mcpResult(id, initialized))}\n\n`;
    if (method === 'initialize') stream?.write(answer.repeat(3) + notice(TOOLS));
  });
  const { told, opened } = follow(url);
  await expect.poll(() => told, { timeout: 90_000 }).toEqual([[TOOLS, {}]]);
  expect([sent, opened()]).toEqual([['initialize', 'notifications/initialized'], 1]);
});

it('the stream of a server that fails meanwhile is closed', async () => {
  const closed = Promise.withResolvers<void>();
  const url = await serve((request, body, response) => {
    const { id, method } = messageIn(body);
    if (request.method === 'GET') {
      response.on('close', closed.resolve);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    } else if (method === 'initialize')
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(mcpResult(id, initialized)));
    else
      response
        .writeHead({ 'resources/subscribe': 503, 'subscriptions/listen': 400 }[`${method}`] ?? 202)
        .end();
  });
  await expect(follow(url, ['x://1']).ended).rejects.toThrow(/HTTP status 503/);
  await closed.promise;
});

it.each([
  ['declares no changes', { ...initialized, capabilities: { tools: {} } }],
  ['has no stream', initialized],
])('a server that %s is silent, and its session is ended', async (_what, result) => {
  const methods: (string | undefined)[] = [];
  const url = await serve((request, body, response) => {
    const message = messageIn(body);
    methods.push(request.method === 'POST' ? message.method : request.method);
    if (request.method === 'GET') response.writeHead(405).end();
    else if (message.method === 'initialize')
      response
        .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'one' })
        .end(JSON.stringify(mcpResult(message.id, result)));
    else response.writeHead(message.method === 'subscriptions/listen' ? 400 : 202).end();
  });
  const { ended } = follow(url);
  expect(await ended).toBe('silent');
  await expect.poll(() => methods.at(-1)).toBe('DELETE');
});

it.each([
  [
    'refuses the credential',
    (response: ServerResponse): void => void response.writeHead(401).end(),
    /refused the credential/,
  ],
  ['fails', (response: ServerResponse): void => void response.writeHead(503).end(), /HTTP status 503/],
  [
    'never ends an event',
    (response: ServerResponse): void => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: ');
      const more = (): void => void (response.write('x'.repeat(64 * 1024)) && setImmediate(more));
      response.on('drain', more);
      more();
    },
    /larger than 1 MiB/,
  ],
])('a server that %s is not followed', async (_what, answer, message) => {
  const url = await serve((_request, _body, response) => answer(response));
  await expect(follow(url).ended).rejects.toThrow(message);
});

it('a server that never stops is read at a bounded pace', async () => {
  let sent = 0;
  const url = await serve((_request, _body, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const event = notice(TOOLS, { pad: 'x'.repeat(16 * 1024) });
    const more = (): void => {
      if (response.destroyed) return;
      sent += event.length;
      if (response.write(event)) setImmediate(more);
    };
    response.on('drain', more);
    more();
  });
  const { told, ended, left } = follow(url);
  // The burst of 1 MiB, and the bytes in socket buffers.
  await expect.poll(() => told.length, { timeout: 90_000 }).toBeGreaterThan(60);
  expect(sent).toBeLessThan(16 * 1024 * 1024);
  left.abort();
  await expect(ended).rejects.toThrow('aborted');
});
