import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Day } from '@fairlead/service-kit/metering/day';

/** Reads call counts. */
export interface UsageStore {
  /** The counts of days with calls, oldest day first. */
  countCalls(
    ctx: RequestContext,
    accountId: string,
    days: { readonly oldest: Day; readonly newest: Day },
  ): Promise<ReadonlyMap<Day, number>>;
}
