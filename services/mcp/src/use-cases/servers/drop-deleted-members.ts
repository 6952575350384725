import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ServerWithToken } from '../../domain/mcp-server.ts';
import type { Connections } from '../../ports/connections.ts';
import type { ServerStore } from '../../ports/server-store.ts';
import type { Tools } from '../../ports/tools.ts';

export interface DropDeletedMembersDeps {
  readonly connections: Connections;
  readonly tools: Pick<Tools, 'findWorkflows'>;
  readonly servers: Pick<ServerStore, 'removeMembers'>;
}

/**
 * The just-written server, without connections and workflows that were deleted since they were checked. A deletion removes uses afterwards,
 * so one of the two always sees the other.
 */
export async function dropDeletedMembers(
  { connections, tools, servers }: DropDeletedMembersDeps,
  ctx: RequestContext,
  server: ServerWithToken,
): Promise<ServerWithToken> {
  const { id, workflowTokens } = server;
  const connectionIds = server.connections.map(({ connectionId }) => connectionId);
  const [foundConnections, foundWorkflows] = await Promise.all([
    connectionIds.length === 0 ? [] : connections.findConnections(ctx, connectionIds),
    workflowTokens.length === 0 ? [] : tools.findWorkflows(ctx, workflowTokens),
  ]);
  const leftConnections = new Set(foundConnections.map((connection) => connection.id));
  const leftWorkflows = new Set(foundWorkflows);
  const deleted = {
    connectionIds: connectionIds.filter((connectionId) => !leftConnections.has(connectionId)),
    workflowTokens: workflowTokens.filter((token) => !leftWorkflows.has(token)),
  };
  if (deleted.connectionIds.length + deleted.workflowTokens.length === 0) return server;
  return (await servers.removeMembers(ctx, accountOf(ctx), id, deleted)) ?? server;
}
