import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Clock } from '@fairlead/service-kit/clock';
import { CONNECTION_DELETED } from '../domain/trigger.ts';
import type { Trigger } from '../domain/trigger.ts';
import type { Connections } from '../ports/connections.ts';
import type { Destinations } from '../ports/destinations.ts';
import type { TriggerStore } from '../ports/trigger-store.ts';

interface WithoutDeletedDeps {
  readonly connections: Pick<Connections, 'find'>;
  readonly destinations: Destinations;
  readonly triggers: Pick<TriggerStore, 'find' | 'removeDestinations' | 'disableUses'>;
  readonly clock: Clock;
}

/** The destinations and the connection that a write named, after they were found. */
export interface TriggerReferences {
  readonly destinationIds: readonly string[];
  /** Undefined: the connection is unchanged, or not named by users. */
  readonly connectionId: number | undefined;
}

/**
 * Repairs a trigger that was just written, and returns it: destinations that were deleted between lookup and write are removed, and the
 * trigger is disabled if its connection was deleted. Deletions after the write find the trigger themselves.
 */
export async function withoutDeleted(
  deps: WithoutDeletedDeps,
  ctx: RequestContext,
  written: Trigger,
  named: TriggerReferences,
): Promise<Trigger> {
  try {
    const [isLess, isDisabled] = await Promise.all([
      dropDestinations(deps, ctx, named.destinationIds),
      disableWithoutConnection(deps, ctx, written, named.connectionId),
    ]);
    if (!isLess && !isDisabled) return written;
    return (await deps.triggers.find(ctx, accountOf(ctx), written.id)) ?? written;
  } catch (error) {
    // The trigger is stored, and its caller must be told so.
    ctx.log.warn(
      { err: error, triggerId: written.id },
      'could not look up the destinations and connection of a trigger again',
    );
    return written;
  }
}

async function dropDestinations(
  { destinations, triggers, clock }: WithoutDeletedDeps,
  ctx: RequestContext,
  ids: readonly string[],
): Promise<boolean> {
  if (ids.length === 0) return false;
  const existing = new Set(await destinations.findExisting(ctx, ids));
  const deleted = ids.filter((id) => !existing.has(id));
  if (deleted.length > 0) await triggers.removeDestinations(ctx, accountOf(ctx), deleted, clock.now());
  return deleted.length > 0;
}

async function disableWithoutConnection(
  { connections, triggers, clock }: WithoutDeletedDeps,
  ctx: RequestContext,
  { isEnabled }: Trigger,
  connectionId: number | undefined,
): Promise<boolean> {
  if (!isEnabled || connectionId === undefined) return false;
  if ((await connections.find(ctx, connectionId)) !== undefined) return false;
  await triggers.disableUses(ctx, accountOf(ctx), [connectionId], CONNECTION_DELETED, clock.now());
  return true;
}
