import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Day } from '@fairlead/service-kit/metering/day';

/** How many events an account's triggers have captured. */
export interface EventCounts {
  /** The counts of the days with events, from the oldest to the newest day. */
  countByDay(
    ctx: RequestContext,
    accountId: string,
    days: { readonly oldest: Day; readonly newest: Day },
  ): Promise<ReadonlyMap<Day, number>>;
}
