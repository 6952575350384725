import { ApiError, validationError } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isGuid } from '@fairlead/service-kit/ids';
import { onlyDefault, toolOfConnection } from '../../domain/target.ts';
import type { Candidate, Target } from '../../domain/target.ts';
import type { Catalog } from '../../ports/catalog.ts';
import type { Connections } from '../../ports/connections.ts';
import type { ToolsetStore } from '../../ports/toolset-store.ts';
import { findExplicitConnection } from './find-explicit-connection.ts';
import { getToolset } from '../toolsets/get-toolset.ts';
import { resolveInToolset } from './resolve-in-toolset.ts';

export interface ResolveTargetDeps {
  readonly catalog: Pick<Catalog, 'resolveTool'>;
  readonly connections: Pick<
    Connections,
    'getConnection' | 'getDefault' | 'listDefaults' | 'findConnections' | 'readToolsAgain'
  >;
  readonly toolsets: Pick<ToolsetStore, 'find'>;
}

/** A caller's specification of tool and connection. */
export interface TargetRequest {
  readonly toolSlug: string;
  /** Empty: determined by the connection. */
  readonly applicationSlug: string;
  readonly connectionId: number | undefined;
  readonly toolsetId: string | undefined;
  /** The end user for whom the account calls; then only their connections are used. */
  readonly endUserId: string | undefined;
}

/**
 * Resolves the tool and the connection of a call. The order of the checks is part of the contract: tool (NOT_FOUND),
 * toolset (NOT_FOUND, TOOL_NOT_IN_TOOLSET), connection (NOT_FOUND, CONNECTION_NOT_IN_TOOLSET, NO_TOOLSET_CONNECTION,
 * NO_DEFAULT_CONNECTION, AMBIGUOUS_TOOL), application (WRONG_APPLICATION).
 */
export async function resolveTarget(
  deps: ResolveTargetDeps,
  ctx: RequestContext,
  request: TargetRequest,
): Promise<Target> {
  const candidates = await findTool(deps, ctx, request);
  const { connectionId, endUserId, toolsetId } = request;
  if (toolsetId !== undefined) {
    if (!isGuid(toolsetId)) throw validationError({ field: 'toolsetId', issue: 'must be a GUID' });
    const toolset = await getToolset(deps, ctx, toolsetId);
    return await resolveInToolset(deps, ctx, { toolset, candidates, connectionId, endUserId });
  }
  if (connectionId !== undefined) {
    const connection = await findExplicitConnection(deps, ctx, connectionId, endUserId);
    return { tool: toolOfConnection(candidates, connection), connection, resolution: 'explicit' };
  }
  const resolution = endUserId === undefined ? 'default' : 'endUser';
  const [only, ...others] = candidates;
  if (only && others.length === 0) {
    const connection = await deps.connections.getDefault(ctx, only.applicationSlug, endUserId);
    return { tool: only, connection, resolution };
  }
  const slugs = candidates.map(({ applicationSlug }) => applicationSlug);
  const defaults = await deps.connections.listDefaults(ctx, slugs, endUserId);
  if (endUserId !== undefined && defaults.length === 0) throw noConnectionOfEndUser();
  return { ...onlyDefault(candidates, defaults), resolution };
}

/** Candidates for the tool; if there are none, re-reads the MCP servers that the call may use. */
async function findTool(
  deps: ResolveTargetDeps,
  ctx: RequestContext,
  request: TargetRequest,
): Promise<readonly Candidate[]> {
  const { catalog, connections } = deps;
  const { toolSlug, applicationSlug, connectionId = 0 } = request;
  try {
    return await catalog.resolveTool(ctx, toolSlug, applicationSlug);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
    if (connectionId < 1 && applicationSlug === '') throw error;
    if (!(await mayUse(deps, ctx, request))) throw error;
    const of = connectionId < 1 ? { applicationSlug } : { connectionId };
    // Whatever else failed, report that the tool does not exist.
    if (!(await connections.readToolsAgain(ctx, of).catch(() => false))) throw error;
    return await catalog.resolveTool(ctx, toolSlug, applicationSlug);
  }
}

/** Whether the call's toolset, if any, contains the named connection, or one of the application. */
async function mayUse(
  { connections, toolsets }: ResolveTargetDeps,
  ctx: RequestContext,
  { applicationSlug, connectionId = 0, toolsetId }: TargetRequest,
): Promise<boolean> {
  if (toolsetId === undefined) return true;
  const toolset = await toolsets.find(ctx, accountOf(ctx), toolsetId);
  if (toolset === undefined) return false;
  const { connectionIds: ids } = toolset;
  if (connectionId >= 1) return ids.includes(connectionId);
  const found = await connections.findConnections(ctx, { ids, applicationSlugs: [applicationSlug] });
  return found.length > 0;
}

function noConnectionOfEndUser(): ApiError {
  return new ApiError(
    'NO_DEFAULT_CONNECTION',
    'The end user has no connection to an application of this tool. Open a connect session for them.',
  );
}
