import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { Toolset } from '../../domain/toolset.ts';
import type { Connections } from '../../ports/connections.ts';
import type { ToolsetStore } from '../../ports/toolset-store.ts';
import type { WorkflowsOfToolset } from '../../ports/workflows-of-toolset.ts';

export interface DropDeletedMembersDeps {
  readonly connections: Pick<Connections, 'findConnections'>;
  readonly workflows: WorkflowsOfToolset;
  readonly toolsets: Pick<ToolsetStore, 'removeMembers'>;
}

/**
 * The just-written toolset, without connections and workflows that were deleted since they were checked. A deletion removes uses
 * afterwards, so one of the two always sees the other.
 */
export async function dropDeletedMembers(
  { connections, workflows, toolsets }: DropDeletedMembersDeps,
  ctx: RequestContext,
  toolset: Toolset,
): Promise<Toolset> {
  const { id, connectionIds, workflowTokens } = toolset;
  const [foundConnections, foundWorkflows] = await Promise.all([
    connectionIds.length === 0 ? [] : connections.findConnections(ctx, { ids: connectionIds }),
    workflowTokens.length === 0 ? [] : workflows.findTools(ctx, workflowTokens),
  ]);
  const leftConnections = new Set(foundConnections.map((connection) => connection.id));
  const leftWorkflows = new Set(foundWorkflows.map(({ workflowToken }) => workflowToken));
  const deleted = {
    connectionIds: connectionIds.filter((connectionId) => !leftConnections.has(connectionId)),
    workflowTokens: workflowTokens.filter((token) => !leftWorkflows.has(token)),
  };
  if (deleted.connectionIds.length + deleted.workflowTokens.length === 0) return toolset;
  return (await toolsets.removeMembers(ctx, accountOf(ctx), id, deleted)) ?? toolset;
}
