import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type { Delivery } from '../domain/delivery.ts';
import type { EventFilter } from '../domain/event-filter.ts';
import type { CapturedEvent } from '../domain/event.ts';

/** An event with its deliveries. */
export interface EventView {
  readonly event: Omit<CapturedEvent, 'accountId' | 'firingKey'>;
  readonly deliveries: readonly Delivery[];
}

/** Selects an account's events captured at `since` or later. */
export interface EventSelection {
  readonly filter: EventFilter;
  readonly since: Date;
  /** Only events with smaller ids. */
  readonly after?: string | undefined;
}

/** Stores events; every method is limited to one account. */
export interface EventStore {
  /** The ids of one page, newest first. */
  listIds(
    ctx: RequestContext,
    accountId: string,
    selection: EventSelection,
    page: Page,
  ): Promise<readonly string[]>;
  /**
   * Considers the `limit` oldest selected events with a destination, and returns the ids of those that have an existing one, oldest first.
   */
  listDeliverableIds(
    ctx: RequestContext,
    accountId: string,
    selection: EventSelection,
    limit: number,
  ): Promise<readonly string[]>;
  count(ctx: RequestContext, accountId: string, selection: EventSelection): Promise<number>;
  has(ctx: RequestContext, accountId: string, id: string, since: Date): Promise<boolean>;
  /**
   * The existing events with these ids, in this order; after the first one only while their bodies have at most `maxBytes` in total.
   * Deliveries have their last attempt only. `next` is the last returned event if others did not fit.
   */
  read(
    ctx: RequestContext,
    accountId: string,
    ids: readonly string[],
    maxBytes: number,
  ): Promise<Pick<ListPart<EventView>, 'items' | 'next'>>;
  find(ctx: RequestContext, accountId: string, id: string, since: Date): Promise<EventView | undefined>;
  /** Which of these destinations are disabled. */
  findDisabled(
    ctx: RequestContext,
    accountId: string,
    destinationIds: readonly string[],
  ): Promise<ReadonlySet<string>>;
}
