import type { Credential } from '@fairlead/connector-runtime/call';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { CallChanged } from '../../domain/call-changed.ts';
import type { CheckedCall } from '../../domain/checked-call.ts';
import { refuseUnlicensed } from '../../domain/target.ts';
import type { Target } from '../../domain/target.ts';
import type { Callers } from '../../ports/callers.ts';
import type { Connections } from '../../ports/connections.ts';
import type { GetToolsetDeps } from '../toolsets/get-toolset.ts';
import { requireCurrentToolset } from '../toolsets/require-current-toolset.ts';

/** The ports that requireCurrent reads. */
export interface RequireCurrentDeps extends GetToolsetDeps {
  readonly connections: Pick<Connections, 'getConnection'>;
  readonly callers: Callers;
  readonly clock: Clock;
}

/** Age from which a connection is read, and its caller checked, again. Connections are shared between calls for less time (ADR 46). */
const CURRENT_MS = 100;

/**
 * Reads toolset and connection again and re-checks the caller, immediately before a call is sent. NOT_FOUND if one is gone,
 * CONNECTION_BLOCKED without a licence, CallerRefused, CallChanged if the call must be checked again. `credential` is the one in use;
 * undefined: none.
 */
export async function requireCurrent(
  deps: RequireCurrentDeps,
  ctx: RequestContext,
  {
    target: { toolset, connection },
    readAt,
  }: Pick<CheckedCall, 'readAt'> & {
    readonly target: Pick<Target, 'toolset' | 'connection'>;
  },
  credential: Credential | undefined,
): Promise<void> {
  if (deps.clock.now().getTime() - readAt.getTime() > CURRENT_MS) {
    const [present] = await Promise.all([
      deps.connections.getConnection(ctx, connection.id, undefined),
      deps.callers.requireCurrent(ctx),
    ]);
    refuseUnlicensed(present);
    const { revision = '' } = present.credential ?? {};
    if (credential !== undefined && revision !== (credential.revision ?? '')) throw new CallChanged();
  }
  if (toolset !== undefined) await requireCurrentToolset(deps, ctx, toolset);
}
