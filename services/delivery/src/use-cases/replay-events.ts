import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ReplayFilter } from '../domain/event-filter.ts';
import { keptSince } from '../domain/event.ts';
import { MAX_REPLAYED } from '../domain/replay.ts';
import type { DestinationStore } from '../ports/destination-store.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Replays } from '../ports/replays.ts';

interface ReplayEventsDeps {
  readonly clock: Clock;
  readonly events: Pick<EventStore, 'listDeliverableIds'>;
  readonly destinations: Pick<DestinationStore, 'findIds'>;
  readonly replays: Pick<Replays, 'enqueue'>;
  /** Makes this process begin with the replays at once. */
  readonly wakeReplays: () => void;
}

/**
 * Replays the oldest selected events that have an existing destination, in the background, once each; returns their number. If the filter
 * names a destination, which must exist, they are replayed to it only. CONFLICT while too many of the account's are waiting.
 */
export async function replayEvents(
  { clock, events, destinations, replays, wakeReplays }: ReplayEventsDeps,
  ctx: RequestContext,
  filter: ReplayFilter,
): Promise<number> {
  const accountId = accountOf(ctx);
  const { destinationId } = filter;
  if (
    destinationId !== undefined &&
    (await destinations.findIds(ctx, accountId, [destinationId])).length === 0
  )
    throw notFound('destination');
  const now = clock.now();
  const selection = { filter, since: keptSince(now) };
  const eventIds = await events.listDeliverableIds(ctx, accountId, selection, MAX_REPLAYED);
  const batch = { eventIds, destinationId, now };
  if (!(await replays.enqueue(ctx, accountId, batch, MAX_REPLAYED)))
    throw new ApiError('CONFLICT', 'Events of earlier requests are still to be replayed; try again later.');
  wakeReplays();
  return eventIds.length;
}
