import {
  MCP_ATTACKS,
  SLOW_MCP_ATTACKS,
  startGeneratedMcpServer,
  startHostileMcpServer,
} from '@fairlead/connector-runtime/testing/hostile-mcp-server';
import type { HostileMcpServer } from '@fairlead/connector-runtime/testing/hostile-mcp-server';
import type { Attack, ConnectionBody, OpenPeer } from './peer.ts';

/** The costliest attacks are also tried over HTTP+SSE; unit tests try all of them there. */
const OVER_EVENTS: ReadonlySet<string> = new Set([
  'endless pings',
  'endless notifications',
  'an endless line',
  'much content',
  'endless events',
]);

const call = { toolSlug: 'do', fields: {} };

/** MCP servers, one per attack; honest while the connection is created, because that reads their tools. */
export const openMcpPeer: OpenPeer = async ({ connector, seed }) => {
  const connection = ({ url }: HostileMcpServer): ConnectionBody => ({
    applicationSlug: connector.slug,
    authenticationId: 0,
    fields: { serverUrl: url },
  });
  const servers: HostileMcpServer[] = [];
  const attacks: Attack[] = [];
  const overHttp = [...MCP_ATTACKS, ...SLOW_MCP_ATTACKS].map((attack) => [...attack, 'http'] as const);
  const overEvents = [...MCP_ATTACKS]
    .filter(([name]) => OVER_EVENTS.has(name))
    .map((attack) => [...attack, 'events'] as const);
  for (const [name, attack, wire] of [...overHttp, ...overEvents]) {
    const server = await startHostileMcpServer(attack, undefined, wire);
    servers.push(server);
    const fails = wire === 'events' ? attack.saysOverEvents : attack.says;
    attacks.push({
      name: wire === 'events' ? `${name} over HTTP+SSE` : name,
      connection: connection(server),
      connected: () => server.arm(),
      execution: { call, fails },
      ...(attack.stage === 'session' && { test: { fails } }),
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
