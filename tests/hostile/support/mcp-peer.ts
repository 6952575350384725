import {
  MCP_ATTACKS,
  SLOW_MCP_ATTACKS,
  startGeneratedMcpServer,
  startHostileMcpServer,
} from '@fairlead/connector-runtime/testing/hostile-mcp-server';
import type { HostileMcpServer } from '@fairlead/connector-runtime/testing/hostile-mcp-server';
import type { Attack, ConnectionBody, OpenPeer } from './peer.ts';

const call = { toolSlug: 'do', fields: {} };

/** MCP servers, one for each attack: honest while the connection to them is made, because that reads their tools. */
export const openMcpPeer: OpenPeer = async ({ connector, seed }) => {
  const connection = ({ url }: HostileMcpServer): ConnectionBody => ({
    applicationSlug: connector.slug,
    authenticationId: 0,
    fields: { serverUrl: url },
  });
  const servers: HostileMcpServer[] = [];
  const attacks: Attack[] = [];
  for (const [name, attack] of [...MCP_ATTACKS, ...SLOW_MCP_ATTACKS]) {
    const server = await startHostileMcpServer(attack);
    servers.push(server);
    attacks.push({
      name,
      connection: connection(server),
      connected: () => server.arm(),
      execution: { call, fails: attack.says },
      ...(attack.stage === 'session' && { test: { fails: attack.says } }),
      isSlow: SLOW_MCP_ATTACKS.has(name),
    });
  }
  const conversing = await startGeneratedMcpServer(seed);
  servers.push(conversing);
  return {
    attacks,
    conversations: {
      connection: connection(conversing),
      connected: () => conversing.arm(),
      call: () => call,
    },
    close: async () => {
      for (const server of servers) await server.close();
    },
  };
};
