import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { startTestServer } from './http-server.ts';
import type { TestResponse } from './http-server.ts';

/** A JSON-RPC message, without `jsonrpc`. */
export interface McpMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly cursor?: string;
    readonly name?: string;
    readonly uri?: string;
  };
}

/** A running MCP server whose behaviour the test defines. */
export interface TestMcpServer {
  readonly url: string;
  readonly received: readonly McpMessage[];
  close(): Promise<void>;
}

/** A server's description of itself. */
export const SERVER_INFO = { name: 'x', version: '1' };

/** The answer to a JSON-RPC request. */
export function mcpResult(id: McpMessage['id'], result: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id: id ?? null, result };
}

/** An event-stream response with these messages. */
export function mcpEvents(messages: readonly Json[]): TestResponse {
  return {
    headers: { 'content-type': 'text/event-stream' },
    body: messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join(''),
  };
}

/**
 * Starts a server that answers the handshake, once `shakes` resolves and after sending `greetings`; `respond` answers
 * everything else. It declares tools, unless `capabilities` differ.
 */
export async function startTestMcpServer(
  respond: (message: McpMessage) => TestResponse | Promise<TestResponse>,
  greetings: readonly JsonObject[] = [],
  shakes: () => Promise<void> = () => Promise.resolve(),
  capabilities: JsonObject = { tools: {} },
): Promise<TestMcpServer> {
  const received: McpMessage[] = [];
  const server = await startTestServer(async ({ method, body }) => {
    if (method !== 'POST') return { status: 405 };
    const message = JSON.parse(body) as McpMessage;
    received.push(message);
    if (message.method === 'initialize') {
      await shakes();
      const protocolVersion = message.params?.protocolVersion ?? '';
      return mcpEvents([
        ...greetings,
        mcpResult(message.id, { protocolVersion, capabilities, serverInfo: SERVER_INFO }),
      ]);
    }
    if (message.method === 'notifications/initialized') return { status: 202 };
    return respond(message);
  });
  return { url: server.url, received, close: () => server.close() };
}
