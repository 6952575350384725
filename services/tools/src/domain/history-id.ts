const EPOCH_MS = Date.UTC(2020, 0, 1);
const IDS_PER_MS = 4_096;

/** How many ids there are in a day. Days in UTC begin at multiples of it. */
export const IDS_PER_DAY = 24 * 60 * 60 * 1_000 * IDS_PER_MS;

/** Generates history ids for one process. */
export interface HistoryIds {
  /** Returns an id above every earlier one of this process. */
  next(now: Date): number;
}

/** The smallest history id of a time: every row created at that time or later has it, or a higher one. */
export function firstIdOf(time: Date): number {
  return (time.getTime() - EPOCH_MS) * IDS_PER_MS;
}

/**
 * The time of a history id, which is when its row was created. Because the id alone says so, the order of ids is the
 * order of creation, and a period is a range of ids.
 */
export function timeOfId(historyId: number): Date {
  return new Date(EPOCH_MS + Math.floor(historyId / IDS_PER_MS));
}

/**
 * History ids: milliseconds since 2020 times 4 096, plus a number below 4 096; below 2^53 until the year 2089.
 *
 * Within a process they only grow, even when its clock steps back. Between processes they grow with time; two processes
 * start at different random numbers within a millisecond, and if two ids collide anyway, the unique `_id` of the
 * collection refuses the second, which then takes its next id.
 */
export function createHistoryIds(random: () => number): HistoryIds {
  let last = 0;
  return {
    next(now) {
      const byTime = (now.getTime() - EPOCH_MS) * IDS_PER_MS + Math.floor(random() * IDS_PER_MS);
      last = Math.max(byTime, last + 1);
      return last;
    },
  };
}
