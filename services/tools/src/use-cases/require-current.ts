import { isDeepStrictEqual } from 'node:util';
import type { Credential } from '@fairlead/connector-runtime/call';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { refuseUnlicensed } from '../domain/target.ts';
import type { Connection } from '../domain/target.ts';
import type { Toolset } from '../domain/toolset.ts';
import type { Connections } from '../ports/connections.ts';
import type { ToolsetStore } from '../ports/toolset-store.ts';
import { CallChanged } from './check-again.ts';
import { getToolset } from './get-toolset.ts';

/** The store that requireCurrentToolset reads. */
export interface RequireCurrentToolsetDeps {
  readonly toolsets: Pick<ToolsetStore, 'find'>;
}

/** The services that requireCurrent reads. */
export interface RequireCurrentDeps extends RequireCurrentToolsetDeps {
  readonly connections: Pick<Connections, 'getConnection'>;
  readonly clock: Clock;
}

/** A call that has been checked. */
interface CheckedCall {
  /** Absent: it is confined to none. */
  readonly toolset?: Toolset | undefined;
  readonly connection: Connection;
  /** The credential that it is made with; undefined: there is none. */
  readonly credential: Credential | undefined;
  /** Its connection was read then, or later. */
  readonly readAt: Date;
}

/** A connection is read again after more than this. Connections are shared between calls for less (ADR 46). */
const CURRENT_MS = 100;

/**
 * Reads the toolset and the connection of a call again, for a call that leaves at once. NOT_FOUND if one of them is gone,
 * CONNECTION_BLOCKED without a licence, CallChanged if the call has to be checked anew.
 */
export async function requireCurrent(
  deps: RequireCurrentDeps,
  ctx: RequestContext,
  { toolset, connection, credential, readAt }: CheckedCall,
): Promise<void> {
  if (deps.clock.now().getTime() - readAt.getTime() > CURRENT_MS) {
    const present = await deps.connections.getConnection(ctx, connection.id, undefined);
    refuseUnlicensed(present);
    if (credential !== undefined && present.credential?.revision !== credential.revision)
      throw new CallChanged();
  }
  if (toolset !== undefined) await requireCurrentToolset(deps, ctx, toolset);
}

/** NOT_FOUND if a toolset is gone, CallChanged if it permits or demands something else now. */
export async function requireCurrentToolset(
  deps: RequireCurrentToolsetDeps,
  ctx: RequestContext,
  known: Toolset,
): Promise<void> {
  const present = await getToolset(deps, ctx, known.id);
  if (!isDeepStrictEqual(demandsOf(known), demandsOf(present))) throw new CallChanged();
}

/** Everything of a toolset that decides on calls. */
function demandsOf({ connectionIds, tools, workflowTokens, policy }: Toolset) {
  return { connectionIds, tools, workflowTokens, policy };
}
