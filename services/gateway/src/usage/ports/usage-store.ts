import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Day } from '../domain/day.ts';

/** How many calls of an account are to be added to a day. */
export interface CallCount {
  readonly accountId: string;
  readonly day: Day;
  readonly callCount: number;
}

/** Where calls are counted for good. */
export interface CallCounts {
  /** Adds all of them. */
  add(counts: readonly CallCount[]): Promise<void>;
}

/** Where calls were counted. */
export interface UsageStore {
  /** The calls of the days that have any, from the oldest to the newest day. */
  countCalls(
    ctx: RequestContext,
    accountId: string,
    days: { readonly oldest: Day; readonly newest: Day },
  ): Promise<ReadonlyMap<Day, number>>;
}
