import type { JsonObject } from '@fairlead/connector-model/json';
import { startTestServer } from './http-server.ts';
import { mcpEvents } from './mcp-server.ts';

/** A running MCP server that supports 2026-07-28 only. */
export interface ModernMcpServer {
  readonly url: string;
  /** The client capabilities in the last request. */
  declared(): JsonObject | undefined;
  close(): Promise<void>;
}

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject & { readonly _meta: JsonObject };
}

/**
 * Starts a server whose tools answer by `respond`, after these notifications on the response stream. An answer with
 * the member `error` becomes a JSON-RPC error.
 */
export async function startModernMcpServer(
  respond: (params: JsonObject) => JsonObject,
  notifications: readonly JsonObject[] = [],
): Promise<ModernMcpServer> {
  let declared: JsonObject | undefined;
  const server = await startTestServer(({ method: httpMethod, body }) => {
    if (httpMethod !== 'POST') return { status: 405 };
    const { id, method, params } = JSON.parse(body) as Request;
    declared = params._meta['io.modelcontextprotocol/clientCapabilities'] as JsonObject;
    const result = (members: JsonObject): JsonObject => ({
      jsonrpc: '2.0',
      id,
      result: { resultType: 'complete', ...members },
    });
    if (method === 'server/discover')
      return {
        body: result({
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {}, logging: {} },
          ttlMs: 0,
          cacheScope: 'private',
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'modern', version: '1' } },
        }),
      };
    const messages = notifications.map((notification) => ({ jsonrpc: '2.0', ...notification }));
    const { error, ...members } = respond(params);
    const response = error === undefined ? result(members) : { jsonrpc: '2.0', id, error };
    return mcpEvents([...messages, response]);
  });
  return { url: server.url, declared: () => declared, close: () => server.close() };
}
