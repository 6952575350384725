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

/** The peers of connectors that dial in code of their own; all others get theirs from their manifest. */
const OWN_PEERS: Readonly<Record<string, OpenPeer>> = {
  graphql: openGraphqlPeer,
  http: openHttpPeer,
  mongodb: openMongodbPeer,
  mysql: openMysqlPeer,
  postgresql: openPostgresPeer,
  rss: openRssPeer,
  smtp: openSmtpPeer,
};

/** Whether calls of a connector reach a host from here: by its requests, by its handlers, or at an MCP server. Agents call from elsewhere. */
export function dialsOut({ kind, tools, authenticationMethods }: Connector): boolean {
  if (kind === 'OPA') return false;
  return (
    kind === 'MCPClient' ||
    tools.length > 0 ||
    authenticationMethods.some(({ test, scheme }) => test !== null || scheme.type === 'oauth2')
  );
}

/** How to open the hostile peer of a connector; undefined if it needs one of its own and OWN_PEERS has none. */
export function peerOf(connector: Connector): OpenPeer | undefined {
  const own = OWN_PEERS[connector.slug];
  if (own !== undefined) return own;
  if (connector.kind === 'MCPClient') return openMcpPeer;
  return isTemplates(connector) && connector.settings.length > 0 ? openTemplatePeer : undefined;
}

/** Whether no code but the runtime's sends the connector's requests. */
function isTemplates({ tools, authenticationMethods }: Connector): boolean {
  return (
    tools.every(({ execution }) => execution.type === 'http') &&
    authenticationMethods.every(({ test }) => test === null || test.type === 'http')
  );
}

/**
 * The connectors of this build that dial out and can be attacked. Templates of a vendor with a fixed address cannot: the same code
 * sends those of sandbox-crm, whose address is a setting.
 */
export async function dialingConnectors(): Promise<readonly Connector[]> {
  const compiled = await compileConnectors(fileURLToPath(new URL('../../../connectors', import.meta.url)));
  if (!compiled.ok) throw new Error('A manifest does not compile.');
  return compiled.connectors.filter(
    (connector) => dialsOut(connector) && !(isTemplates(connector) && connector.settings.length === 0),
  );
}
