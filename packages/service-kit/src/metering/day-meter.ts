import type { Clock } from '../clock.ts';
import type { Day } from './day.ts';
import { dayOf } from './day.ts';

/** A number to add to an account's count of a day. */
export interface DayCount {
  readonly accountId: string;
  readonly day: Day;
  readonly count: number;
}

/** The permanent store of counts. */
export interface DayCounts {
  /** Adds all these counts. */
  add(counts: readonly DayCount[]): Promise<void>;
}

/** Counts an activity of accounts by day. */
export interface DayMeter {
  /** Counts one activity now, in memory, at nearly no cost. */
  count(accountId: string): void;
  /**
   * Writes the counts since the last write. Failed writes are repeated the next time; a write that succeeded although
   * its response was lost counts twice. If an account cannot be looked up, only its counts are kept, and `flush`
   * rejects after the others are written. A killed process loses its unwritten counts, usually those of about a
   * second.
   */
  flush(): Promise<void>;
}

const DAY_MS = 24 * 60 * 60_000;

/** A meter that writes to `counts`. */
export function createDayMeter(deps: {
  readonly counts: DayCounts;
  /** Counts of accounts that are not open are dropped. Default: all are open. */
  readonly findOpenAccounts?: (accountIds: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly clock: Clock;
}): DayMeter {
  const { findOpenAccounts = (ids: readonly string[]) => Promise.resolve(new Set(ids)) } = deps;
  let pending = new Map<Day, Map<string, number>>();
  // Cached, because most counts are on the same day as the previous one.
  let today = { number: Number.NaN, counts: new Map<string, number>() };

  function countsOf(day: Day): Map<string, number> {
    const counts = pending.get(day) ?? new Map<string, number>();
    pending.set(day, counts);
    return counts;
  }

  function countsOfToday(): Map<string, number> {
    const now = deps.clock.now();
    const number = Math.floor(now.getTime() / DAY_MS);
    if (number !== today.number) today = { number, counts: countsOf(dayOf(now)) };
    return today.counts;
  }

  function keep(counts: readonly DayCount[]): void {
    for (const { accountId, day, count } of counts) {
      const kept = countsOf(day);
      kept.set(accountId, (kept.get(accountId) ?? 0) + count);
    }
  }

  return {
    count(accountId) {
      const counts = countsOfToday();
      counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
    },
    async flush() {
      const taken = pending;
      pending = new Map();
      today = { number: Number.NaN, counts: new Map() };
      const all = [...taken].flatMap(([day, counts]) =>
        [...counts].map(([accountId, count]) => ({ accountId, day, count })),
      );
      if (all.length === 0) return;
      const accountIds = [...new Set(all.map(({ accountId }) => accountId))];
      // Looked up one by one, so that a failure does not affect the others; they still share calls.
      const lookups = await Promise.allSettled(accountIds.map((id) => findOpenAccounts([id])));
      const open = new Set(lookups.flatMap((it) => (it.status === 'fulfilled' ? [...it.value] : [])));
      const unknown = new Set(accountIds.filter((_, index) => lookups[index]?.status === 'rejected'));
      keep(all.filter(({ accountId }) => unknown.has(accountId)));
      const written = all.filter(({ accountId }) => open.has(accountId));
      try {
        if (written.length > 0) await deps.counts.add(written);
      } catch (error) {
        keep(written);
        throw error;
      }
      const failed = lookups.find((it) => it.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    },
  };
}
