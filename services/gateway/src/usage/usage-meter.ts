import type { Clock } from '@fairlead/service-kit/clock';
import type { FindOpenAccounts } from '../authentication/accounts.ts';
import type { Day } from './domain/day.ts';
import { dayOf } from './domain/day.ts';
import type { CallCount, CallCounts } from './ports/usage-store.ts';

/** Counts the calls of accounts. */
export interface UsageMeter {
  /** Counts an admitted call; in memory, so it costs next to nothing. */
  countCall(accountId: string): void;
  /**
   * Writes the counts since the last write. If that fails, they are kept and written the next time; a write that
   * succeeded although its response was lost then counts twice. Those of an account that cannot be looked up are kept
   * alone; then it rejects once the others are written. A killed process loses its unwritten counts: usually the calls of
   * about a second.
   */
  flush(): Promise<void>;
}

const DAY_MS = 24 * 60 * 60_000;

/** A meter that writes to `counts`. */
export function createUsageMeter(deps: {
  readonly counts: CallCounts;
  /** Calls of accounts that are not open are not written. */
  readonly findOpenAccounts: FindOpenAccounts;
  readonly clock: Clock;
}): UsageMeter {
  let pending = new Map<Day, Map<string, number>>();
  // Most calls are on the same day as the previous one.
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

  function keep(counts: readonly CallCount[]): void {
    for (const { accountId, day, callCount } of counts) {
      const kept = countsOf(day);
      kept.set(accountId, (kept.get(accountId) ?? 0) + callCount);
    }
  }

  return {
    countCall(accountId) {
      const counts = countsOfToday();
      counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
    },
    async flush() {
      const taken = pending;
      pending = new Map();
      today = { number: Number.NaN, counts: new Map() };
      const all = [...taken].flatMap(([day, counts]) =>
        [...counts].map(([accountId, callCount]) => ({ accountId, day, callCount })),
      );
      if (all.length === 0) return;
      const accountIds = [...new Set(all.map(({ accountId }) => accountId))];
      // Each by itself, so that one that cannot be looked up does not hold up the others; they share calls all the same.
      const lookups = await Promise.allSettled(accountIds.map((id) => deps.findOpenAccounts([id])));
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
