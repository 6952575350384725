const EPOCH_MS = Date.UTC(2020, 0, 1);
const IDS_PER_MS = 4_096;

/** Number of ids per day. UTC days begin at multiples of it. */
export const IDS_PER_DAY = 24 * 60 * 60 * 1_000 * IDS_PER_MS;

/** Generates history ids for one process. */
export interface HistoryIds {
  /** Returns an id greater than every earlier one of this process. */
  next(now: Date): number;
}

/** The smallest history id of a time: rows created at that time or later have at least this id. */
export function firstIdOf(time: Date): number {
  return (time.getTime() - EPOCH_MS) * IDS_PER_MS;
}

/** The creation time of a history id's row. The id alone determines it, so ids are in creation order, and a period is a range of ids. */
export function timeOfId(historyId: number): Date {
  return new Date(EPOCH_MS + Math.floor(historyId / IDS_PER_MS));
}

/**
 * Generates history ids: milliseconds since 2020 times 4 096, plus a number below 4 096; below 2^53 until the year 2089. Within a process
 * they only increase, even if its clock is set back. Between processes they increase with time. Within a millisecond, processes start at
 * different random numbers; if two ids still collide, the unique `_id` rejects the second, and its process takes the next id.
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
