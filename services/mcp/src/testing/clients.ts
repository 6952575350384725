import type { McpClient } from '../domain/mcp-client.ts';

/** A client with a session that declared nothing, unless overridden. */
export function sessionClient(o: Partial<McpClient> = {}): McpClient {
  return { isStateless: false, capabilities: {}, logLevel: undefined, progressToken: undefined, ...o };
}
