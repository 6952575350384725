import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type { Delivery } from '../domain/delivery.ts';
import type { EventFilter } from '../domain/event-filter.ts';
import type { CapturedEvent } from '../domain/event.ts';

/** An event with what became of it. */
export interface EventView {
  readonly event: Omit<CapturedEvent, 'accountId' | 'firingKey'>;
  readonly deliveries: readonly Delivery[];
}

/** The wanted events of an account that were captured at `since` or later. */
export interface EventSelection {
  readonly filter: EventFilter;
  readonly since: Date;
  /** Only events with smaller ids. */
  readonly after?: string | undefined;
}

/** The events of all accounts; every method is confined to one account. */
export interface EventStore {
  /** The ids of one page, the newest first. */
  listIds(
    ctx: RequestContext,
    accountId: string,
    selection: EventSelection,
    page: Page,
  ): Promise<readonly string[]>;
  /** Among the `limit` oldest selected events that were captured for a destination, the ids of those with one that still exists, the oldest first. */
  listDeliverableIds(
    ctx: RequestContext,
    accountId: string,
    selection: EventSelection,
    limit: number,
  ): Promise<readonly string[]>;
  count(ctx: RequestContext, accountId: string, selection: EventSelection): Promise<number>;
  has(ctx: RequestContext, accountId: string, id: string, since: Date): Promise<boolean>;
  /**
   * The events with these ids that still exist, in their order; after the first one, only as long as their bodies have at most
   * `maxBytes`. Their deliveries have the last attempt only. `next` is the last of them if others did not fit.
   */
  read(
    ctx: RequestContext,
    accountId: string,
    ids: readonly string[],
    maxBytes: number,
  ): Promise<Pick<ListPart<EventView>, 'items' | 'next'>>;
  find(ctx: RequestContext, accountId: string, id: string, since: Date): Promise<EventView | undefined>;
  /** The destinations that are disabled. */
  findDisabled(
    ctx: RequestContext,
    accountId: string,
    destinationIds: readonly string[],
  ): Promise<ReadonlySet<string>>;
}
