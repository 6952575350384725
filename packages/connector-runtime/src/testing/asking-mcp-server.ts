import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '@fairlead/connector-model/json';

/** A JSON-RPC message from a client. */
interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: JsonObject & { readonly name?: string; readonly arguments?: JsonObject };
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

/** A running tool call, seen from the server. */
export interface RunningTool {
  readonly arguments: JsonObject;
  /** The request's credential. */
  readonly authorization: string;
  readonly progressToken: JsonObject[string] | undefined;
  /** Sends a message on the response stream. */
  readonly send: (message: JsonObject) => void;
  /** Sends a request to the client, with `id` if given, and resolves with the response. */
  readonly ask: (method: string, params: JsonObject, id?: string) => Promise<JsonObject>;
}

/** A JSON-RPC error as a tool's answer. */
export class ToolError extends Error {
  readonly code: number;
  readonly data: JsonObject | undefined;

  constructor(code: number, message: string, data?: JsonObject) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A running MCP 2025-11-25 server whose tools send messages to their client. */
export interface AskingMcpServer {
  readonly url: string;
  /** The methods of all received messages; `closed` each time that the stream of an unanswered call was closed. */
  readonly received: readonly string[];
  close(): Promise<void>;
}

/** Starts a server on a free loopback port. Each tool returns its result; a tool whose promise never settles hangs. */
export async function startAskingMcpServer(
  tools: Readonly<Record<string, (call: RunningTool) => Promise<JsonObject>>>,
): Promise<AskingMcpServer> {
  const received: string[] = [];
  const asked = new Map<string, (response: JsonObject) => void>();
  let lastId = 0;

  async function run(
    { id, params }: Message,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    response.on('close', () => {
      if (!response.writableEnded) received.push('closed');
    });
    const send = (message: JsonObject): void =>
      void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
    const meta = params?.['_meta'] as JsonObject | undefined;
    const call = tools[params?.name ?? '']?.({
      arguments: params?.arguments ?? {},
      authorization: request.headers.authorization ?? '',
      progressToken: meta?.['progressToken'],
      send,
      ask(method, askedParams, askedId) {
        const key = askedId ?? `question ${(lastId += 1)}`;
        const { promise, resolve } = Promise.withResolvers<JsonObject>();
        asked.set(key, resolve);
        send({ id: key, method, params: askedParams });
        return promise;
      },
    });
    try {
      send({ id: id ?? null, result: (await call) ?? {} });
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      const { code, message, data } = error;
      send({ id: id ?? null, error: { code, message, ...(data !== undefined && { data }) } });
    }
    response.end();
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    // The chunks are buffers, because no encoding is set.
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'POST') {
      received.push(request.method ?? '');
      response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
      return;
    }
    const message = JSON.parse(Buffer.concat(chunks).toString()) as Message;
    received.push(message.method ?? 'response');
    if (message.method === 'tools/call') return await run(message, request, response);
    if (message.method === undefined) asked.get(String(message.id))?.({ ...message });
    if (message.id === undefined || message.method === undefined) {
      response.writeHead(202).end();
      return;
    }
    const protocolVersion = '2025-11-25';
    const serverInfo = { name: 'asking', version: '1' };
    const body =
      message.method === 'initialize'
        ? { result: { protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo } }
        : message.method === 'logging/setLevel'
          ? { result: {} }
          : { error: { code: -32_601, message: 'Method not found' } };
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'one' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body }));
  }

  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    handle(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    received,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
