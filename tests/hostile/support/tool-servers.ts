import type { JsonObject } from '@fairlead/connector-model/model';
import { startHostileMcpServer } from '@fairlead/connector-runtime/testing/hostile-mcp-server';
import type { HostileMcpServer } from '@fairlead/connector-runtime/testing/hostile-mcp-server';
import type { ConnectionBody } from './peer.ts';

/** MCP servers that behave, with tools of a test's choosing. */
export interface ToolServers {
  /** Starts a server with these tools; returns the connection to it. */
  serve(tools: readonly JsonObject[]): Promise<ConnectionBody>;
  close(): Promise<void>;
}

/** Creates the servers as they are needed. */
export function openToolServers(): ToolServers {
  const servers: HostileMcpServer[] = [];
  return {
    async serve(tools) {
      // Never armed: it stays honest.
      const server = await startHostileMcpServer({ answer: () => undefined, stage: 'call' }, tools);
      servers.push(server);
      return { applicationSlug: 'mcp', authenticationId: 0, fields: { serverUrl: server.url } };
    },
    async close() {
      for (const server of servers) await server.close();
    },
  };
}
