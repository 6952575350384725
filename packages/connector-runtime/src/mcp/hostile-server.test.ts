import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { ToolOutcome } from '../call.ts';
import { testCall, testConnector, testCredential, testOptions, testTool, toolsIn } from '../testing/calls.ts';
import { MCP_ATTACKS, startHostileMcpServer } from '../testing/hostile-mcp-server.ts';
import { testWorkerRuntime } from '../testing/worker-runtime.ts';
import type { TestResponse } from '../testing/http-server.ts';
import { mcpEvents, mcpResult, SERVER_INFO, startTestMcpServer } from '../testing/mcp-server.ts';
import type { McpMessage, TestMcpServer } from '../testing/mcp-server.ts';

const runtime = testWorkerRuntime();
const connector = testConnector({ slug: 'mcp', name: 'MCP server', kind: 'MCPClient' });
const open: TestMcpServer[] = [];
afterAll(async () => {
  for (const server of open) await server.close();
});

/** A server that answers the handshake itself and everything else by `respond`; closed after the tests. */
async function hostile(...parts: Parameters<typeof startTestMcpServer>): Promise<TestMcpServer> {
  const server = await startTestMcpServer(...parts);
  open.push(server);
  return server;
}

function execute(serverUrl: string, timeoutMs = 30_000): Promise<ToolOutcome> {
  const tool = testTool({ type: 'mcp', toolName: 'do' });
  return runtime.execute(
    testCall(tool, { connector, credential: testCredential({ serverUrl }) }),
    testOptions({ timeoutMs }),
  );
}

const UNKNOWN: TestResponse = { status: 404 };
const pings = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_value, index) => ({ jsonrpc: '2.0', id: `p${index}`, method: 'ping' }));
const repeated = (count: number, message: JsonObject): JsonObject[] =>
  Array.from({ length: count }, () => message);
/** A response whose connection closes before its last byte. */
const cut = ({ headers, body }: TestResponse): TestResponse => ({
  headers: {
    'content-type': 'application/json',
    ...headers,
    connection: 'close',
    'content-length': String(String(body).length),
  },
  body: String(body).slice(0, -3),
});
const failure = (text: string): object => ({
  isSuccess: false,
  errorMessage: expect.stringContaining(text) as string,
});

it('answers a server’s requests one at a time', async () => {
  const allAnswered = Promise.withResolvers<void>();
  let inFlight = 0;
  let most = 0;
  let answered = 0;
  const { url } = await hostile(async ({ id, method }) => {
    if (method === 'tools/call') {
      await allAnswered.promise;
      return { body: mcpResult(id, { content: [] }) };
    }
    if (method !== undefined) return UNKNOWN;
    inFlight += 1;
    most = Math.max(most, inFlight);
    await nextTurn();
    inFlight -= 1;
    answered += 1;
    if (answered === 100) allAnswered.resolve();
    return { status: 202 };
  }, pings(100));
  // On a busy machine, the first worker starts slowly.
  const outcome = await execute(url, 60_000);
  expect(outcome).toMatchObject({ isSuccess: true, output: { content: [] } });
  expect(most).toBe(1);
});

it.each<[string, (id: McpMessage['id']) => TestResponse, string]>([
  ['requests in events', () => mcpEvents(pings(101)), 'more than 100 requests'],
  ['requests in one body', () => ({ body: pings(101) }), 'more than 100 requests'],
  [
    'notifications',
    () => mcpEvents(repeated(10_001, { jsonrpc: '2.0', method: 'notifications/message' })),
    'more than 10000 messages',
  ],
  ['responses', (id) => mcpEvents(repeated(10_001, mcpResult(`${id}x`, {}))), 'more than 10000 messages'],
  [
    'values',
    (id) => ({ body: mcpResult(id, { content: Array<Json>(100_001).fill(1) }) }),
    'more than 100000 JSON values',
  ],
  [
    'values in an event',
    (id) => mcpEvents([mcpResult(id, { content: Array<Json>(100_001).fill(1) })]),
    'more than 100000',
  ],
  [
    'levels',
    () => ({ headers: { 'content-type': 'application/json' }, body: '['.repeat(1_000_000) }),
    'deeper than 200 levels',
  ],
  ['bytes of events', () => mcpEvents(Array<Json>(9).fill('x'.repeat(1024 * 1024))), 'larger than 8 MiB'],
])('ends the session of a server that sends too many %s', async (_name, respond, text) => {
  const { url } = await hostile(({ id, method }) => (method === 'tools/call' ? respond(id) : UNKNOWN));
  expect(await execute(url)).toMatchObject(failure(text));
});

it('fails at once if a response has no answer to the call', async () => {
  const { url } = await hostile(({ method }) => (method === 'tools/call' ? { body: pings(1) } : UNKNOWN));
  expect(await execute(url)).toMatchObject(failure('does not respond as an MCP server'));
});

it.each<[string, (id: McpMessage['id']) => TestResponse]>([
  ['a stream that ends without an answer', () => mcpEvents([])],
  ['a stream that is cut', (id) => cut(mcpEvents([mcpResult(id, { content: [] })]))],
  ['a body that is cut', (id) => cut({ body: JSON.stringify(mcpResult(id, { content: [] })) })],
])('fails at once: %s', async (_name, respond) => {
  const { url } = await hostile(({ id, method }) => (method === 'tools/call' ? respond(id) : UNKNOWN));
  expect(await execute(url)).toMatchObject(failure('The MCP server ended its response early.'));
});

it('never runs the server’s own output schema, even if the server asks for its headers', async () => {
  const slow = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
  const { url, received } = await hostile(({ id, method }) => {
    switch (method) {
      case 'server/discover':
        return {
          body: mcpResult(id, {
            resultType: 'complete',
            supportedVersions: ['2026-07-28'],
            capabilities: { tools: {} },
            serverInfo: SERVER_INFO,
          }),
        };
      case 'tools/list':
        return {
          body: mcpResult(id, {
            resultType: 'complete',
            tools: [{ name: 'do', inputSchema: { type: 'object' }, outputSchema: slow }],
          }),
        };
      case 'tools/call':
        return received.some((message) => message.method === 'tools/list')
          ? {
              body: mcpResult(id, {
                resultType: 'complete',
                content: [],
                structuredContent: { a: `${'a'.repeat(40)}!` },
              }),
            }
          : {
              body: { jsonrpc: '2.0', id: id ?? null, error: { code: -32_020, message: 'header mismatch' } },
            };
      default:
        return UNKNOWN;
    }
  });
  expect(await execute(url)).toMatchObject(failure('header mismatch'));
  expect(received.map(({ method }) => method)).toContain('server/discover');
  expect(received.map(({ method }) => method)).not.toContain('tools/list');
});

it('stops reading a list of tools that never ends', async () => {
  const { url, received } = await hostile(({ id, method, params }) => {
    if (method !== 'tools/list') return UNKNOWN;
    const page = Number(params?.cursor ?? 0);
    const tools = Array.from({ length: 500 }, (_value, index) => ({
      name: `t${page}-${index}`,
      inputSchema: { type: 'object' },
    }));
    return { body: mcpResult(id, { tools, nextCursor: String(page + 1) }) };
  });
  const found = await runtime.discoverMcpTools(
    connector,
    testCall(testTool({ type: 'mcp', toolName: 'do' })).method,
    testCredential({ serverUrl: url }),
    testOptions(),
  );
  expect(toolsIn(found)).toHaveLength(1_000);
  expect(received.filter(({ method }) => method === 'tools/list')).toHaveLength(4);
});

const WIRES = ['http', 'events'] as const;
/** Attacks over HTTP+SSE that a call notices only at its deadline, because the stream stays open. */
const WAITED_FOR = new Set(['an HTML page']);

it.each(
  WIRES.flatMap((wire) =>
    [...MCP_ATTACKS]
      .filter(([name, { stage }]) => stage === 'session' && !(wire === 'events' && WAITED_FOR.has(name)))
      .map(([name, attack]) => [name, wire, attack] as const),
  ),
)('%s instead of a handshake over %s fails the call at once', async (_name, wire, attack) => {
  const server = await startHostileMcpServer(attack, undefined, wire);
  server.arm();
  const outcome = await execute(server.url);
  await server.close();
  expect(outcome).toMatchObject(failure(wire === 'events' ? attack.saysOverEvents : attack.says));
  // The call ends at its deadline.
  expect(outcome).not.toMatchObject(failure('in time'));
  expect(outcome).not.toMatchObject(failure('within'));
});

it.each([...MCP_ATTACKS].filter(([, { stage }]) => stage === 'call'))(
  '%s instead of a result over HTTP+SSE fails the call',
  async (_name, attack) => {
    const server = await startHostileMcpServer(attack, undefined, 'events');
    server.arm();
    const outcome = await execute(server.url);
    await server.close();
    expect(outcome).toMatchObject(failure(attack.saysOverEvents));
  },
);
