import { dayOf, KEPT_DAYS, startOf } from '@fairlead/service-kit/metering/day';
import type { Day } from '@fairlead/service-kit/metering/day';

const DAY_MS = 24 * 60 * 60_000;

/** The day `count` days after `day`, or before it if `count` is negative. */
export function addDays(day: Day, count: number): Day {
  return dayOf(new Date(startOf(day).getTime() + count * DAY_MS));
}

/** A period of days for a usage report. */
export interface Period {
  /** Inclusive. Undefined: 30 days before `to`, or before today. */
  readonly from?: Date | undefined;
  /** Exclusive; undefined: to the end of today. */
  readonly to?: Date | undefined;
}

const DEFAULT_DAYS = 30;

/**
 * The days of a period, newest first, limited to those that usage covers at `now`: no future day, none that began KEPT_DAYS or more before
 * today.
 */
export function daysOf({ from, to }: Period, now: Date): readonly Day[] {
  if (from !== undefined && from > now) return [];
  const today = dayOf(now);
  const end = to === undefined || to > now ? addDays(today, 1) : firstDayFrom(to);
  const begin = from === undefined ? addDays(end, -DEFAULT_DAYS) : firstDayFrom(from);
  const oldest = addDays(today, 1 - KEPT_DAYS);
  const days: Day[] = [];
  for (let day = addDays(end, -1); day >= begin && day >= oldest; day = addDays(day, -1)) days.push(day);
  return days;
}

/** The first day that begins at or after `time`. */
function firstDayFrom(time: Date): Day {
  const day = dayOf(time);
  return startOf(day).getTime() === time.getTime() ? day : addDays(day, 1);
}
