import type { JsonObject } from '@fairlead/connector-model/json';
import { startHostileMcpServer } from '@fairlead/connector-runtime/testing/hostile-mcp-server';
import type { HostileMcpServer } from '@fairlead/connector-runtime/testing/hostile-mcp-server';
import type { ConnectionBody } from './peer.ts';

/** Honest MCP servers with tools chosen by a test. */
export interface ToolServers {
  /** Starts a server with these tools; returns the connection to it. */
  serve(tools: readonly JsonObject[]): Promise<ConnectionBody>;
  close(): Promise<void>;
}

/** Creates servers on demand. */
export function openToolServers(): ToolServers {
  const servers: HostileMcpServer[] = [];
  return {
    async serve(tools) {
      // Never armed, so it stays honest.
      const server = await startHostileMcpServer({ answer: () => undefined, stage: 'call' }, tools);
      servers.push(server);
      return { applicationSlug: 'mcp', authenticationId: 0, fields: { serverUrl: server.url } };
    },
    async close() {
      for (const server of servers) await server.close();
    },
  };
}
