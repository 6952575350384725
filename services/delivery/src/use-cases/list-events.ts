import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type { EventFilter } from '../domain/event-filter.ts';
import { keptSince } from '../domain/event.ts';
import type { EventStore, EventView } from '../ports/event-store.ts';

interface ListEventsDeps {
  readonly clock: Clock;
  readonly events: Pick<EventStore, 'listIds' | 'count' | 'has' | 'read'>;
}

export interface ListEventsRequest {
  readonly filter: EventFilter;
  readonly page: Page;
  /** Lists and counts only events captured before this one; the page's offset counts from it. */
  readonly after: string | undefined;
}

/** Like other lists (service-kit/mongo/list-part). The largest body has about 0.5 MiB, if nearly every byte is escaped. */
const MAX_BODY_BYTES = 1_024 * 1_024;

/**
 * One page of the account's events, newest first; only its beginning if the bodies do not fit into one message. Empty if the event `after`
 * does not exist.
 */
export async function listEvents(
  { clock, events }: ListEventsDeps,
  ctx: RequestContext,
  { filter, page, after }: ListEventsRequest,
): Promise<ListPart<EventView>> {
  const accountId = accountOf(ctx);
  const since = keptSince(clock.now());
  const isRest = page.after !== undefined;
  // A page continues even if the last event of its previous part was deleted meanwhile.
  if (!isRest && after !== undefined && !(await events.has(ctx, accountId, after, since)))
    return { items: [], totalCount: 0 };
  const selection = { filter, since, after: page.after ?? after };
  const [ids, totalCount] = await Promise.all([
    events.listIds(ctx, accountId, selection, page),
    isRest ? 0 : events.count(ctx, accountId, selection),
  ]);
  return { ...(await events.read(ctx, accountId, ids, MAX_BODY_BYTES)), totalCount };
}
