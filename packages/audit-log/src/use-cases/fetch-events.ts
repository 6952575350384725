import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { FetchedEventLog } from '../audit-log.ts';
import type { EventPage, EventSource, UnreadableEvent } from '../ports/event-source.ts';
import type { FetchPositions } from '../ports/fetch-positions.ts';
export interface FetchEventsDeps {
  readonly source: EventSource;
  readonly positions: FetchPositions;
  readonly events: FetchedEventLog;
  /** Lets one replica fetch at a time; two would do the same work twice, with the same result. */
  readonly lease: { hold(): Promise<boolean> };
  /** Called for each event that is skipped. */
  readonly reportUnreadable: (event: UnreadableEvent) => void;
  readonly clock: Clock;
}

/** The result of fetchEvents. */
export interface FetchResult {
  /** Whether this replica fetched; false: another one does. */
  readonly isHolder: boolean;
  /** When a fetch last found nothing left, up to some seconds earlier if another replica fetched; undefined: never. */
  readonly completeAt: Date | undefined;
}

const PAGE = 500;
/**
 * How often the position is stored while no events come: the lag that other replicas know is at most this old, and a cursor is valid for 30
 * days.
 */
const SAVED_EVERY_MS = 5_000;

/**
 * Writes the entries of all events that the source has recorded since the last fetch, page by page, each page before its cursor: after a
 * crash the page is written again, without effect. An unreadable event is reported and skipped. Does nothing while another replica is
 * fetching.
 */
export async function fetchEvents(deps: FetchEventsDeps, ctx: RequestContext): Promise<FetchResult> {
  const { source, positions, events, lease, clock } = deps;
  let cursor: string | undefined;
  while (await lease.hold()) {
    ctx.signal.throwIfAborted();
    const stored = cursor === undefined ? await positions.find(ctx, source.name) : undefined;
    cursor ??= stored?.cursor ?? '';
    const askedAt = clock.now();
    const page = await readPage(source, ctx, cursor);
    await events.recordFetched(page.events);
    cursor = page.nextCursor;
    const completeAt = page.hasMore ? undefined : askedAt;
    const isEmpty = page.events.length === 0 && page.unreadable.length === 0;
    const savedMs = stored?.completeAt?.getTime() ?? Number.NEGATIVE_INFINITY;
    if (!isEmpty || askedAt.getTime() - savedMs >= SAVED_EVERY_MS)
      await positions.save(source.name, { cursor, completeAt });
    for (const event of page.unreadable) deps.reportUnreadable(event);
    if (completeAt !== undefined) return { isHolder: true, completeAt };
  }
  return { isHolder: false, completeAt: (await positions.find(ctx, source.name))?.completeAt };
}

async function readPage(source: EventSource, ctx: RequestContext, cursor: string): Promise<EventPage> {
  try {
    return await source.read(ctx, cursor, PAGE);
  } catch (error) {
    const isTooOld = cursor !== '' && error instanceof ApiError && error.code === 'NOT_FOUND';
    if (!isTooOld) throw error;
    ctx.log.warn(
      { source: source.name },
      'audit events were not fetched for 30 days and some may be lost; fetching those that are left',
    );
    return source.read(ctx, '', PAGE);
  }
}
