import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { Toolset } from '../domain/toolset.ts';
import type { Connections } from '../ports/connections.ts';
import type { ToolsetStore } from '../ports/toolset-store.ts';

/** What dropDeletedConnections needs. */
export interface DropDeletedConnectionsDeps {
  readonly connections: Pick<Connections, 'findConnections'>;
  readonly toolsets: Pick<ToolsetStore, 'removeConnections'>;
}

/**
 * The toolset that was just written, without connections that were deleted since they were checked. Whoever deletes a
 * connection removes its uses afterwards, so one of the two always sees the other.
 */
export async function dropDeletedConnections(
  { connections, toolsets }: DropDeletedConnectionsDeps,
  ctx: RequestContext,
  toolset: Toolset,
): Promise<Toolset> {
  const { id, connectionIds } = toolset;
  if (connectionIds.length === 0) return toolset;
  const found = await connections.findConnections(ctx, { ids: connectionIds });
  const left = new Set(found.map((connection) => connection.id));
  const deleted = connectionIds.filter((connectionId) => !left.has(connectionId));
  if (deleted.length === 0) return toolset;
  return (await toolsets.removeConnections(ctx, accountOf(ctx), id, deleted)) ?? toolset;
}
