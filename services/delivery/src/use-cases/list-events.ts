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

/** A list as it is requested. */
export interface ListEventsRequest {
  readonly filter: EventFilter;
  readonly page: Page;
  /** Only events captured before this one are listed and counted, and the page's offset counts from it. */
  readonly after: string | undefined;
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
  { filter, page, after }: ListEventsRequest,
): Promise<ListPart<EventView>> {
  const accountId = accountOf(ctx);
  const since = keptSince(clock.now());
  const isRest = page.after !== undefined;
  // A page goes on also if the event that its last part ended with is gone by now.
  if (!isRest && after !== undefined && !(await events.has(ctx, accountId, after, since)))
    return { items: [], totalCount: 0 };
  const selection = { filter, since, after: page.after ?? after };
  const [ids, totalCount] = await Promise.all([
    events.listIds(ctx, accountId, selection, page),
    isRest ? 0 : events.count(ctx, accountId, selection),
  ]);
  return { ...(await events.read(ctx, accountId, ids, MAX_BODY_BYTES)), totalCount };
}
