// A separate process: an MCP server without sessions. Its tool `endless` answers with endless events, as fast as they are read; its tool
// `flood` sends 10 000 notifications per second for a second. With argument `bombs` its list has costly schemas instead.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { reportReady } from '../child.ts';

/** The members of a protocol message that this server reads. */
interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly name?: string;
    readonly _meta?: { readonly progressToken?: string | number };
  };
}

const FLOOD_PER_BURST = 100;
const BURSTS = 100;
const BURST_MS = 10;

const doubling = {
  $defs: Object.fromEntries(
    Array.from({ length: 40 }, (_level, at) => {
      const next = { $ref: `#/$defs/d${at + 1}` };
      return [
        `d${at}`,
        at === 39 ? { type: 'string' } : { anyOf: [next, next], allOf: [next, next] },
      ] as const;
    }),
  ),
  type: 'object',
  properties: { a: { $ref: '#/$defs/d0' } },
};
const wide = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 5_000 }, (_name, at) => [`n${at}`, { type: 'string' }]),
  ),
};
const itself = { type: 'object', properties: { a: { $ref: '#' } } };
const plain = { type: 'object', properties: {} };
const schemas: Readonly<Record<string, object>> =
  process.argv[2] === 'bombs' ? { doubling, wide, wider: wide, itself } : { endless: plain, flood: plain };
const tools = Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema }));

function resultOf({ method, params }: Message): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion ?? '',
        capabilities: { tools: {}, logging: {} },
        serverInfo: { name: 'flooding', version: '1' },
      };
    case 'tools/list':
      return { tools };
    default:
      return undefined;
  }
}

const event = (message: object): string => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;

function* repeated(text: string): Generator<string> {
  for (;;) yield text;
}

async function answerCall({ id, params }: Message, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const progressToken = params?._meta?.progressToken ?? 'forged';
  const notice = event({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
  if (params?.name === 'endless') {
    await pipeline(Readable.from(repeated(notice.repeat(FLOOD_PER_BURST))), response);
    return;
  }
  for (let burst = 0; burst < BURSTS && !response.destroyed; burst += 1) {
    response.write(notice.repeat(FLOOD_PER_BURST));
    await delay(BURST_MS);
  }
  response.end(event({ id, result: { content: [{ type: 'text', text: 'flooded' }] } }));
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const answer = async (): Promise<void> => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    // The stack sends nothing else.
    const message = (await json(request)) as Message;
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    if (message.method === 'tools/call') return answerCall(message, response);
    const result = resultOf(message);
    const error = { code: -32_601, message: 'Method not found' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) });
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  };
  void answer().catch(() => response.destroy());
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
// A server that listens on TCP has an address of this kind.
reportReady({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` });
