import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Day } from '@fairlead/service-kit/metering/day';

/** Counts of events captured by an account's triggers. */
export interface EventCounts {
  /** The counts of days with events, oldest day first. */
  countByDay(
    ctx: RequestContext,
    accountId: string,
    days: { readonly oldest: Day; readonly newest: Day },
  ): Promise<ReadonlyMap<Day, number>>;
}
