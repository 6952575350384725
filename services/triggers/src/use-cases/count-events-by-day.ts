import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Day } from '@fairlead/service-kit/metering/day';
import type { EventCounts } from '../ports/event-counts.ts';

/** Days of a period with events captured by the account's triggers, and their counts. */
export function countEventsByDay(
  { eventCounts }: { readonly eventCounts: EventCounts },
  ctx: RequestContext,
  days: { readonly oldest: Day; readonly newest: Day },
): Promise<ReadonlyMap<Day, number>> {
  return eventCounts.countByDay(ctx, accountOf(ctx), days);
}
