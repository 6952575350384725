import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { JsonObject } from '@fairlead/connector-model/json';
import { mcpResult, SERVER_INFO } from './mcp-server.ts';
import type { McpMessage } from './mcp-server.ts';

/** An MCP server with a handshake, and with resources that sessions can subscribe to. */
export interface SubscriptionServer {
  readonly url: string;
  /** The URIs of all subscriptions so far. */
  readonly subscribed: readonly string[];
  /** Number of open streams. */
  streams(): number;
  /** Sends every stream the notification that a resource changed. */
  update(uri: string): void;
  /** Replaces the tools (initially none), and notifies every stream. */
  setTools(names: readonly string[]): void;
  /** Replaces the resources, and notifies every stream. */
  setResources(uris: readonly string[]): void;
  close(): Promise<void>;
}

/** Starts the server with these resources. */
export async function startSubscriptionServer(firstUris: readonly string[]): Promise<SubscriptionServer> {
  const streams = new Set<ServerResponse>();
  const subscribed: string[] = [];
  let toolNames: readonly string[] = [];
  let uris = firstUris;
  const tell = (method: string, params: JsonObject): void => {
    for (const stream of streams)
      stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`);
  };
  const resultOf = ({ method, params }: McpMessage): JsonObject | undefined => {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: params?.protocolVersion ?? '',
          capabilities: { resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } },
          serverInfo: SERVER_INFO,
        };
      case 'tools/list':
        return { tools: toolNames.map((name) => ({ name, inputSchema: { type: 'object' } })) };
      case 'resources/list':
        return { resources: uris.map((uri) => ({ uri, name: uri })) };
      case 'resources/subscribe':
        subscribed.push(params?.uri ?? '');
        return {};
      default:
        return undefined;
    }
  };
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
        streams.add(response);
        response.on('close', () => streams.delete(response));
        return;
      }
      const chunks: Buffer[] = [];
      // The chunks are buffers, because no encoding is set.
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const message = JSON.parse(Buffer.concat(chunks).toString() || '{}') as McpMessage;
      if (message.id === undefined) {
        response.writeHead(202).end();
        return;
      }
      const result = resultOf(message);
      const error = { code: -32_601, message: 'Method not found' };
      response
        .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'session' })
        .end(
          JSON.stringify(
            result === undefined ? { jsonrpc: '2.0', id: message.id, error } : mcpResult(message.id, result),
          ),
        );
    };
    void answer().catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    subscribed,
    streams: () => streams.size,
    update: (uri) => tell('notifications/resources/updated', { uri }),
    setTools(names) {
      toolNames = names;
      tell('notifications/tools/list_changed', {});
    },
    setResources(changed) {
      uris = changed;
      tell('notifications/resources/list_changed', {});
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
