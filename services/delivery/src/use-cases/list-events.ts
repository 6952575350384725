import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { EventFilter } from '../domain/event-filter.ts';
import { keptSince } from '../domain/event.ts';
import type { EventStore, EventView } from '../ports/event-store.ts';

interface ListEventsDeps {
  readonly clock: Clock;
  readonly events: Pick<EventStore, 'listIds' | 'count' | 'has' | 'read'>;
}

/** A list as it is requested. */
export interface ListEventsRequest {
  readonly filter: EventFilter;
  readonly page: Page;
  /** Only events captured before this one are listed and counted, and the page's offset counts from it. */
  readonly after: string | undefined;
  readonly withoutCount: boolean;
}

/** One page, or its beginning. */
export interface EventList {
  readonly items: readonly EventView[];
  /** The events on all pages; 0 if they were not to be counted. */
  readonly totalCount: number;
  /** The page goes on after the last item. */
  readonly isCut: boolean;
}

/** As other lists (service-kit/mongo/list-part). The largest body, of which nearly each byte is escaped, has about 0.5 MiB. */
const MAX_BODY_BYTES = 1_024 * 1_024;

/**
 * One page of the account's events, newest first; its beginning if the bodies are too large for one message. If the event
 * `after` does not exist, the list is empty.
 */
export async function listEvents(
  { clock, events }: ListEventsDeps,
  ctx: RequestContext,
  { filter, page, after, withoutCount }: ListEventsRequest,
): Promise<EventList> {
  const accountId = accountOf(ctx);
  const since = keptSince(clock.now());
  if (after !== undefined && !(await events.has(ctx, accountId, after, since)))
    return { items: [], totalCount: 0, isCut: false };
  const selection = { filter, since, after };
  const [ids, totalCount] = await Promise.all([
    events.listIds(ctx, accountId, selection, page),
    withoutCount ? 0 : events.count(ctx, accountId, selection),
  ]);
  const items = await events.read(ctx, accountId, ids, MAX_BODY_BYTES);
  return { items, totalCount, isCut: items.length > 0 && items.at(-1)?.event.id !== ids.at(-1) };
}
