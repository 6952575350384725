import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Trigger } from '../domain/trigger.ts';
import type { Destinations } from '../ports/destinations.ts';
import type { TriggerStore } from '../ports/trigger-store.ts';

/** What dropDeletedDestinations needs. */
export interface DropDeletedDestinationsDeps {
  readonly destinations: Destinations;
  readonly triggers: Pick<TriggerStore, 'find' | 'removeDestinations'>;
  readonly clock: Clock;
}

/**
 * The trigger that was just written, without those of these destinations that were deleted after they were looked up: their
 * deletion may have taken them out of the account's triggers before the trigger had them. One that is deleted later finds it.
 */
export async function dropDeletedDestinations(
  { destinations, triggers, clock }: DropDeletedDestinationsDeps,
  ctx: RequestContext,
  written: Trigger,
  destinationIds: readonly string[],
): Promise<Trigger> {
  if (destinationIds.length === 0) return written;
  try {
    const existing = new Set(await destinations.findExisting(ctx, destinationIds));
    const deleted = destinationIds.filter((id) => !existing.has(id));
    if (deleted.length === 0) return written;
    const accountId = accountOf(ctx);
    await triggers.removeDestinations(ctx, accountId, deleted, clock.now());
    return (await triggers.find(ctx, accountId, written.id)) ?? written;
  } catch (error) {
    // The trigger is stored: its caller is to hear so. Events for a destination that does not exist go nowhere.
    ctx.log.warn(
      { err: error, triggerId: written.id },
      'the destinations of a trigger could not be looked up again',
    );
    return written;
  }
}
