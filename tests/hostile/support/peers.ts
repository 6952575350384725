import { fileURLToPath } from 'node:url';
import { compileConnectors } from '@fairlead/connector-model/compile';
import type { Connector } from '@fairlead/connector-model/model';
import { openGraphqlPeer } from './graphql-peer.ts';
import { openHttpPeer } from './http-peer.ts';
import { openMcpPeer } from './mcp-peer.ts';
import { openMongodbPeer } from './mongodb-peer.ts';
import { openMysqlPeer } from './mysql-peer.ts';
import type { OpenPeer } from './peer.ts';
import { openPostgresPeer } from './postgresql-peer.ts';
import { openRssPeer } from './rss-peer.ts';
import { openSmtpPeer } from './smtp-peer.ts';
import { openTemplatePeer } from './template-peer.ts';

/** Peers of connectors with their own network code; all others get theirs from their manifest. */
const OWN_PEERS: Readonly<Record<string, OpenPeer>> = {
  graphql: openGraphqlPeer,
  http: openHttpPeer,
  mongodb: openMongodbPeer,
  mysql: openMysqlPeer,
  postgresql: openPostgresPeer,
  rss: openRssPeer,
  smtp: openSmtpPeer,
};

/**
 * Whether a connector's calls reach a host from the platform: by requests, by handlers, or at an MCP server. On-prem agents call from
 * elsewhere.
 */
export function dialsOut({ kind, tools, authenticationMethods }: Connector): boolean {
  if (kind === 'OPA') return false;
  return (
    kind === 'MCPClient' ||
    tools.length > 0 ||
    authenticationMethods.some(({ test, scheme }) => test !== null || scheme.type === 'oauth2')
  );
}

/** How to open a connector's hostile peer; undefined if it needs its own one, and OWN_PEERS has none. */
export function peerOf(connector: Connector): OpenPeer | undefined {
  const own = OWN_PEERS[connector.slug];
  if (own !== undefined) return own;
  if (connector.kind === 'MCPClient') return openMcpPeer;
  return isTemplates(connector) && connector.settings.length > 0 ? openTemplatePeer : undefined;
}

/** Whether only the runtime sends the connector's requests. */
function isTemplates({ tools, authenticationMethods }: Connector): boolean {
  return (
    tools.every(({ execution }) => execution.type === 'http') &&
    authenticationMethods.every(({ test }) => test === null || test.type === 'http')
  );
}

/**
 * The connectors of this build that make connections and can be attacked. Template connectors with a fixed vendor address cannot; the same
 * code sends requests of sandbox-crm, whose address is a setting.
 */
export async function dialingConnectors(): Promise<readonly Connector[]> {
  const compiled = await compileConnectors(fileURLToPath(new URL('../../../connectors', import.meta.url)));
  if (!compiled.ok) throw new Error('A manifest does not compile.');
  return compiled.connectors.filter(
    (connector) => dialsOut(connector) && !(isTemplates(connector) && connector.settings.length === 0),
  );
}
