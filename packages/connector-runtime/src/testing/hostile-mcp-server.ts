import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { generated } from './damaged-messages.ts';
import { mcpScripts } from './mcp-conversations.ts';
import { mcpResult, SERVER_INFO } from './mcp-server.ts';
import type { McpMessage } from './mcp-server.ts';
import { playScript } from './scripted-mcp-server.ts';
import { openEventWire } from './event-wire.ts';
import type { AnswerStream } from './event-wire.ts';

type Answer = (response: AnswerStream, message: McpMessage) => void;

/** An attack of an MCP server, and a part of the error message of a call that meets it. */
interface McpAttack {
  readonly answer: Answer;
  readonly says: string;
  /** That text over HTTP+SSE, where the attack arrives on another stream. */
  readonly saysOverEvents: string;
  /** The messages that the attack answers: all messages of a session, or only tool calls. */
  readonly stage: 'session' | 'call';
}

/** An MCP server with one tool, `do`. It behaves until an attack is armed. */
export interface HostileMcpServer {
  readonly url: string;
  arm(): void;
  close(): Promise<void>;
}

const SSE = { 'content-type': 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };
const TOOLS = [{ name: 'do', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }];

const event = (message: Json): string => `data: ${JSON.stringify(message)}\n\n`;
const ping = (id: number): Json => ({ jsonrpc: '2.0', id: `p${id}`, method: 'ping' });
const body =
  (make: (id: McpMessage['id']) => string): Answer =>
  (response, { id }) =>
    void response.writeHead(200, JSON_TYPE).end(make(id));
const events =
  (make: (id: McpMessage['id']) => readonly Json[]): Answer =>
  (response, { id }) =>
    void response.writeHead(200, SSE).end(make(id).map(event).join(''));
const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const called = (name: string, answer: Answer, says = '', saysOverEvents = says): [string, McpAttack] => [
  name,
  { answer, says, saysOverEvents, stage: 'call' },
];
const always = (name: string, answer: Answer, says = '', saysOverEvents = says): [string, McpAttack] => [
  name,
  { answer, says, saysOverEvents, stage: 'session' },
];
const NO_MESSAGE = 'not a message of the protocol';

/** Responses that violate the protocol, the limits, or a client's expectations. */
export const MCP_ATTACKS: ReadonlyMap<string, McpAttack> = new Map([
  always(
    'an HTML page',
    (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    'does not respond as an MCP server',
  ),
  always(
    'text that is no JSON',
    body(() => '{"jsonrpc"'),
    'does not respond as an MCP server',
    NO_MESSAGE,
  ),
  always(
    'deep JSON',
    body((id) => `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},"result":{"a":${nested(5_000)}}}`),
    'deeper than 200 levels',
  ),
  always(
    'many pings',
    events(() => Array.from({ length: 101 }, (_ping, at) => ping(at))),
    'more than 100 requests',
  ),
  always('endless pings', endless(event(ping(1))), 'more than 100 requests'),
  always(
    'endless notifications',
    endless(event({ jsonrpc: '2.0', method: 'notifications/message' })),
    'more than 10000 messages',
  ),
  always('endless comments', endless(`: ${'x'.repeat(1_000)}\n`), 'larger than 8 MiB'),
  always('an endless line', endless('x'), 'larger than 8 MiB'),
  always('endless retries', endless(`retry: ${'1'.repeat(1_000)}\n\n`), 'larger than 8 MiB'),
  always(
    'a redirect',
    (response) => void response.writeHead(307, { location: '/' }).end(),
    'HTTP status 307',
    'HTTP status 405',
  ),
  always(
    'a hang-up',
    (response) => void response.destroy(),
    'closed the connection before',
    'ended its response early',
  ),
  always(
    'a long session id',
    (response, { id }) =>
      void response
        .writeHead(200, { ...JSON_TYPE, 'mcp-session-id': 'x'.repeat(15_000) })
        .end(JSON.stringify(mcpResult(id, {}))),
    'does not respond as an MCP server',
  ),
  called(
    'error -32020',
    body((id) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: id ?? null,
        error: { code: -32_020, message: 'header mismatch' },
      }),
    ),
    'header mismatch',
  ),
  called(
    'an error of objects',
    body((id) => JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code: {}, message: [] } })),
    'does not respond as an MCP server',
    NO_MESSAGE,
  ),
  called(
    'many answers',
    events((id) => Array<Json>(10_001).fill(mcpResult(`${id}x`, {}))),
    'more than 10000 messages',
  ),
  called(
    'content of a number',
    body((id) => JSON.stringify(mcpResult(id, { content: 5 }))),
    'does not respond as an MCP server',
  ),
  called(
    'much content',
    body((id) => JSON.stringify(mcpResult(id, { content: Array<Json>(350_000).fill(1) }))),
    'more than 100000 JSON values',
  ),
  called(
    'a long text',
    body((id) =>
      JSON.stringify(mcpResult(id, { content: [{ type: 'text', text: 'x'.repeat(2 * 1024 * 1024) }] })),
    ),
    'larger than 1 MiB',
  ),
  called(
    'deep content',
    body(
      (id) =>
        `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},"result":{"content":[],"structuredContent":{"a":${nested(5_000)}}}}`,
    ),
    'deeper than 200 levels',
  ),
  called('an endless line', endless('x'), 'larger than 8 MiB'),
  called(
    'endless events',
    endless(event({ jsonrpc: '2.0', method: 'notifications/message' })),
    'more than 10000 messages',
  ),
]);

/** Responses that keep a call waiting until its deadline. */
export const SLOW_MCP_ATTACKS: ReadonlyMap<string, McpAttack> = new Map([
  always('no answer', () => undefined, 'did not respond within'),
  called('no answer to a call', () => undefined, 'did not respond within'),
  called('a stream that drips', drip(': x\n'), 'did not respond within'),
  called(
    'pings that drip',
    drip(event({ jsonrpc: '2.0', method: 'notifications/message' })),
    'did not respond within',
  ),
  called(
    'another answer',
    events((id) => [mcpResult(`${id}x`, {})]),
    'did not respond within',
  ),
]);

/** Starts a server on a free loopback port. Defaults: the tool `do`, and Streamable HTTP. */
export async function startHostileMcpServer(
  { answer, stage }: Pick<McpAttack, 'answer' | 'stage'>,
  tools: readonly JsonObject[] = TOOLS,
  wire: 'http' | 'events' = 'http',
): Promise<HostileMcpServer> {
  let isArmed = false;
  const streams = wire === 'events' ? openEventWire() : undefined;
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answered: AnswerStream | undefined =
      streams === undefined ? (request.method === 'POST' ? response : undefined) : streams(request, response);
    if (answered === undefined) {
      if (!response.headersSent) response.writeHead(405).end();
      return;
    }
    const message = JSON.parse(await text(request)) as McpMessage; // our own client sends it
    if (isArmed && (stage === 'session' || message.method === 'tools/call')) answer(answered, message);
    else honest(answered, message, tools);
  };
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, // a TCP server that listens has one
    arm: () => void (isArmed = true),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts a server with generated answers: each client message gets the script of the next seed. */
export function startGeneratedMcpServer(
  firstSeed: number,
  wire?: 'http' | 'events',
): Promise<HostileMcpServer> {
  let seed = firstSeed;
  const answer: Answer = (response, message) => {
    playScript(generated(mcpScripts, seed++), { ...message }, response);
  };
  return startHostileMcpServer({ answer, stage: 'session' }, TOOLS, wire);
}

function honest(response: AnswerStream, message: McpMessage, tools: readonly JsonObject[]): void {
  const value = honestResult(message, tools);
  if (message.id === undefined) response.writeHead(202).end();
  else if (value === undefined) response.writeHead(404).end();
  else response.writeHead(200, JSON_TYPE).end(JSON.stringify(mcpResult(message.id, value)));
}

function honestResult(
  { method, params }: McpMessage,
  tools: readonly JsonObject[] = TOOLS,
): JsonObject | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '',
        capabilities: { tools: {} },
        serverInfo: SERVER_INFO,
      };
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return { content: [] };
    default:
      return undefined;
  }
}

/** An endless stream that repeats this text as fast as it is read. */
function endless(part: string): Answer {
  const block = part.repeat(Math.max(1, Math.floor(65_536 / part.length)));
  return (response) => {
    response.writeHead(200, SSE);
    const write = (): void => {
      while (!response.destroyed && response.write(block));
    };
    response.on('drain', write);
    write();
  };
}

/** An endless stream that repeats this text every tenth of a second. */
function drip(part: string): Answer {
  return (response) => {
    response.writeHead(200, SSE);
    const timer = setInterval(() => void response.write(part), 100);
    response.on('close', () => clearInterval(timer));
  };
}
