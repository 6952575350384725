import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { onlyDefault, toolOfConnection } from '../../domain/target.ts';
import type { Candidate, Target } from '../../domain/target.ts';
import { connectionsOfToolset, permittedTools, toolNotInToolset } from '../../domain/toolset-scope.ts';
import type { Toolset } from '../../domain/toolset.ts';
import type { Connections } from '../../ports/connections.ts';
import { findExplicitConnection } from './find-explicit-connection.ts';

export interface ResolveInToolsetDeps {
  readonly connections: Pick<Connections, 'getConnection' | 'findConnections'>;
}

/** A call restricted to a toolset, and the tools that its slug may mean. */
interface ConfinedCall {
  readonly toolset: Toolset;
  readonly candidates: readonly Candidate[];
  readonly connectionId: number | undefined;
  readonly endUserId: string | undefined;
}

/**
 * Tool and connection of a call within a toolset. TOOL_NOT_IN_TOOLSET; for an explicit connection NOT_FOUND, CONNECTION_NOT_IN_TOOLSET,
 * WRONG_APPLICATION; without one NO_TOOLSET_CONNECTION, AMBIGUOUS_TOOL. Defaults outside of the toolset are ignored.
 */
export async function resolveInToolset(
  deps: ResolveInToolsetDeps,
  ctx: RequestContext,
  { toolset, candidates, connectionId, endUserId }: ConfinedCall,
): Promise<Target> {
  const permitted = permittedTools(toolset, candidates);
  if (connectionId !== undefined) {
    const connection = await findExplicitConnection(deps, ctx, connectionId, endUserId);
    if (!toolset.connectionIds.includes(connection.id)) throw connectionNotInToolset(connection.id);
    const tool = toolOfConnection(candidates, connection);
    if (!permitted.includes(tool)) throw toolNotInToolset();
    return { tool, connection, resolution: 'explicit', toolset };
  }
  const applicationSlugs = permitted.map(({ applicationSlug }) => applicationSlug);
  const found = await deps.connections.findConnections(ctx, {
    ids: toolset.connectionIds,
    applicationSlugs,
    endUserId,
  });
  const usable = connectionsOfToolset(found);
  const [only, ...others] = usable;
  if (only === undefined) throw noToolsetConnection(applicationSlugs, endUserId);
  const target =
    others.length === 0
      ? { tool: toolOfConnection(permitted, only), connection: only }
      : onlyDefault(
          permitted,
          usable.filter(({ isDefault }) => isDefault),
        );
  return { ...target, resolution: 'toolset', toolset };
}

function connectionNotInToolset(id: number): ApiError {
  return new ApiError(
    'CONNECTION_NOT_IN_TOOLSET',
    `Connection ${id} is not in the toolset. Name one that is, or none. The tool was not executed.`,
  );
}

function noToolsetConnection(applicationSlugs: readonly string[], endUserId: string | undefined): ApiError {
  const whose = endUserId === undefined ? '' : ' of the end user';
  return new ApiError(
    'NO_TOOLSET_CONNECTION',
    `The toolset has no connection${whose} to ${applicationSlugs.join(', ')} that fits the call. Add one, or pass connectionId.`,
  );
}
