import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Day } from '../domain/day.ts';

/** The number of calls of an account to add to a day. */
export interface CallCount {
  readonly accountId: string;
  readonly day: Day;
  readonly callCount: number;
}

/** The permanent store of call counts. */
export interface CallCounts {
  /** Adds all of them. */
  add(counts: readonly CallCount[]): Promise<void>;
}

/** Reads call counts. */
export interface UsageStore {
  /** The counts of the days with calls, from the oldest to the newest day. */
  countCalls(
    ctx: RequestContext,
    accountId: string,
    days: { readonly oldest: Day; readonly newest: Day },
  ): Promise<ReadonlyMap<Day, number>>;
}
