import { createServer, request as httpRequest } from 'node:http';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CallOptions, ToolOutcome } from '../call.ts';
import { testCall, testConnector, testCredential, testOptions, testTool } from '../testing/calls.ts';
import { startEverythingServer } from '../testing/everything-server.ts';
import { mcpEvents, mcpResult, SERVER_INFO, startTestMcpServer } from '../testing/mcp-server.ts';
import type { McpMessage } from '../testing/mcp-server.ts';
import type { TestResponse } from '../testing/http-server.ts';
import { testWorkerRuntime } from '../testing/worker-runtime.ts';

const runtime = testWorkerRuntime();
const WAIT = { timeout: 90_000 };
const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

let lastConnection = 0;
/** Calls a tool of a new connection to this server. */
function connectionTo(serverUrl: string) {
  lastConnection += 1;
  const connectionId = lastConnection;
  return (o: { version?: number; tool?: string } & Partial<CallOptions> = {}): Promise<ToolOutcome> => {
    const { version = 1, tool = 'echo', ...options } = o;
    const call = testCall(testTool({ type: 'mcp', toolName: tool }), {
      connector: testConnector({ slug: 'mcp-7', name: 'MCP server', kind: 'MCPClient' }),
      credential: testCredential({ serverUrl }, { version }),
      fields: { message: 'hi' },
    });
    return runtime.execute(call, testOptions({ connectionId, timeoutMs: 30_000, ...options }));
  };
}

const ECHO = { isSuccess: true, output: { content: [{ type: 'text', text: 'Echo: hi' }] } };

describe.each([
  ['streamableHttp', 'Session initialized', 'termination request'],
  ['sse', 'Client Connected', 'Client Disconnected'],
] as const)('with the reference server over %s', (wire, opened, ended) => {
  it('one session serves the calls of a connection, until its credential changes', async () => {
    const server = await startEverythingServer(wire);
    closers.push(() => server.close());
    const count = (what: string): number => server.lines.filter((line) => line.includes(what)).length;
    const execute = connectionTo(server.url);
    for (let call = 0; call < 4; call += 1) expect(await execute()).toMatchObject(ECHO);
    // An error result of a tool follows the protocol, so the session is kept.
    expect(await execute({ tool: 'no-such-tool' })).toMatchObject({ isSuccess: false });
    expect(await execute()).toMatchObject(ECHO);
    // The server's output may come after its response.
    await expect.poll(() => [count(opened), count(ended)]).toEqual([1, 0]);
    expect(await execute({ version: 2 })).toMatchObject(ECHO);
    await expect.poll(() => count(opened)).toBe(2);
    await vi.waitFor(() => expect(count(ended)).toBeGreaterThan(0), WAIT);
    expect(await connectionTo(server.url)()).toMatchObject(ECHO);
    await expect.poll(() => count(opened)).toBe(3);
  });
});

it('a server that speaks HTTP+SSE only is asked for the other wire once, until it answers no more', async () => {
  const server = await startEverythingServer('sse');
  closers.push(() => server.close());
  // A proxy that records the requests, and stops serving event streams on command.
  const asked: string[] = [];
  let isOut = false;
  const front = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${new URL(request.url ?? '', 'http://front').pathname}`);
    if (isOut) return void response.writeHead(404).end();
    const { port } = new URL(server.url);
    const { method, url, headers } = request;
    const inner = httpRequest({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    inner.on('error', () => response.destroy());
    response.on('close', () => inner.destroy());
    request.pipe(inner);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => front.once('listening', resolve));
  closers.push(async () => {
    front.closeAllConnections();
    front.close();
  });
  // A TCP server that listens has a port.
  const { port } = front.address() as AddressInfo;
  const path = new URL(server.url).pathname;
  const execute = connectionTo(`http://127.0.0.1:${port}${path}`);
  const probes = (): number => asked.filter((line) => line === `POST ${path}`).length;
  expect(await execute()).toMatchObject(ECHO);
  const first = probes();
  expect(first).toBeGreaterThan(0);
  // Different settings require a separate session.
  expect(await execute({ version: 2 })).toMatchObject(ECHO);
  expect(await execute({ version: 3 })).toMatchObject(ECHO);
  expect(probes()).toBe(first);
  isOut = true;
  expect(await execute({ version: 4 })).toMatchObject({ isSuccess: false });
  expect(probes()).toBeGreaterThan(first);
});

it('a server that does not know a tool says so, in either form; other failures of a tool do not', async () => {
  const results: [JsonObject, boolean][] = [
    [{ error: { code: -32602, message: 'Unknown tool: echo' } }, true],
    [{ error: { code: -32602, message: 'MCP error -32602: Tool echo not found' } }, true],
    [{ result: { isError: true, content: [{ type: 'text', text: 'Tool echo not found' }] } }, true],
    [{ error: { code: -32602, message: 'Invalid arguments for tool echo' } }, false],
    [{ result: { isError: true, content: [{ type: 'text', text: 'Contact 7 not found' }] } }, false],
  ];
  for (const [answer, isUnknown] of results) {
    const server = await startTestMcpServer(({ id }) =>
      mcpEvents([{ jsonrpc: '2.0', id: id ?? null, ...answer }]),
    );
    closers.push(() => server.close());
    const outcome = await connectionTo(server.url)();
    expect(outcome).toMatchObject({ isSuccess: false });
    expect([answer, 'isToolUnknown' in outcome]).toEqual([answer, isUnknown]);
  }
});

/** A server that answers tool calls, numbered from 1, as the test specifies, or else with success. */
async function startScripted(answer: (call: number) => TestResponse | Promise<TestResponse> | undefined) {
  let calls = 0;
  const server = await startTestMcpServer(({ id, method }: McpMessage) => {
    if (method !== 'tools/call') return { status: 404 };
    calls += 1;
    return answer(calls) ?? mcpEvents([mcpResult(id, { content: [] })]);
  });
  closers.push(() => server.close());
  const count = (name: string): number => server.received.filter(({ method }) => method === name).length;
  return { execute: connectionTo(server.url), count };
}

it.each([404, 400])('a session that the server refuses with %d is replaced, once', async (status) => {
  const { execute, count } = await startScripted((call) => (call > 1 && call !== 3 ? { status } : undefined));
  expect(await execute()).toMatchObject({ isSuccess: true });
  expect(await execute()).toMatchObject({ isSuccess: true });
  expect([count('initialize'), count('tools/call')]).toEqual([2, 3]);
  expect(await execute()).toMatchObject({ isSuccess: false });
  expect([count('initialize'), count('tools/call')]).toEqual([3, 5]);
});

it.each<[string, () => TestResponse]>([
  ['fails', () => ({ status: 500 })],
  ['is cut off', () => ({ destroy: true })],
])('a call that %s is not made again, and its session is not used again', async (_, answer) => {
  const { execute, count } = await startScripted((call) => (call === 2 ? answer() : undefined));
  const outcomes = [await execute(), await execute(), await execute()];
  expect(outcomes.map(({ isSuccess }) => isSuccess)).toEqual([true, false, true]);
  expect([count('initialize'), count('tools/call')]).toEqual([2, 3]);
});

it('a server that takes no further calls says for how long, and keeps its session', async () => {
  const { execute, count } = await startScripted((call) =>
    call === 2 ? { status: 429, headers: { 'retry-after': '7' } } : undefined,
  );
  const limits: number[] = [];
  const onLimited = (forMs: number): void => void limits.push(forMs);
  expect(await execute({ onLimited })).toMatchObject({ isSuccess: true });
  expect(await execute({ onLimited })).toMatchObject({
    isSuccess: false,
    errorMessage: 'The MCP server responded with HTTP status 429.',
  });
  expect(await execute({ onLimited })).toMatchObject({ isSuccess: true });
  expect([limits, count('initialize')]).toEqual([[7_000], 1]);
});

it('a call that was cancelled takes its session with it', async () => {
  const { execute, count } = await startScripted((call) =>
    call === 2 ? new Promise(() => undefined) : undefined,
  );
  await execute();
  const stop = new AbortController();
  const slow = execute({ signal: stop.signal });
  await vi.waitUntil(() => count('tools/call') === 2, WAIT);
  stop.abort();
  expect(await slow).toMatchObject({ isSuccess: false });
  expect(await execute()).toMatchObject({ isSuccess: true });
  expect(count('initialize')).toBe(2);
});

it.each([
  ['a notification', { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }],
  ['a request', { jsonrpc: '2.0', id: 'p', method: 'ping' }],
  ['a comment without an end', undefined],
])('a stream that brings %s between two calls ends its session', async (_, message) => {
  const server = await startEventServer(message);
  const execute = connectionTo(server.url);
  expect(await execute()).toMatchObject({ isSuccess: true });
  await vi.waitUntil(() => server.streams.closed === 1, WAIT);
  expect(await execute()).toMatchObject({ isSuccess: true });
  expect(server.streams.opened).toBe(2);
});

/** A server with HTTP+SSE that sends something on the first stream after a call has ended. */
async function startEventServer(unasked: object | undefined) {
  const streams = { opened: 0, closed: 0 };
  let send: (text: string) => void = () => undefined;
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      streams.opened += 1;
      response.on('close', () => (streams.closed += 1));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      send = (text) => void response.write(text);
      send('event: endpoint\ndata: /messages\n\n');
      return;
    }
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as McpMessage;
      response.writeHead(request.url === '/messages' ? 202 : 405).end();
      if (request.url !== '/messages' || id === undefined) return;
      const protocolVersion = params?.protocolVersion ?? '';
      const result =
        method === 'initialize'
          ? { protocolVersion, capabilities: { tools: {} }, serverInfo: SERVER_INFO }
          : { content: [] };
      send(`data: ${JSON.stringify(mcpResult(id, result))}\n\n`);
      if (method !== 'tools/call' || streams.opened > 1) return;
      const text =
        unasked === undefined ? `: ${'x'.repeat(1_000)}\n` : `data: ${JSON.stringify(unasked)}\n\n`;
      const flood = setInterval(() => send(text), 5);
      onTestFinished(() => clearInterval(flood));
    })();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, streams };
}
