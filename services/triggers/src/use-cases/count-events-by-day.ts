import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Day } from '@fairlead/service-kit/metering/day';
import type { EventCounts } from '../ports/event-counts.ts';

/** The days of a period on which the account's triggers captured events, with their numbers. */
export function countEventsByDay(
  { eventCounts }: { readonly eventCounts: EventCounts },
  ctx: RequestContext,
  days: { readonly oldest: Day; readonly newest: Day },
): Promise<ReadonlyMap<Day, number>> {
  return eventCounts.countByDay(ctx, accountOf(ctx), days);
}
