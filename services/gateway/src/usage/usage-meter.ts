import type { Clock } from '@fairlead/service-kit/clock';
import type { FindOpenAccounts } from '../authentication/accounts.ts';
import type { Day } from './domain/day.ts';
import { dayOf } from './domain/day.ts';
import type { CallCounts } from './ports/usage-store.ts';

/** Counts the calls of accounts. */
export interface UsageMeter {
  /** Counts an admitted call; in memory, so it costs next to nothing. */
  countCall(accountId: string): void;
  /**
   * Writes the counts since the last write. If that fails, they are kept and written the next time; a write that
   * succeeded although its response was lost then counts twice. A killed process loses its unwritten counts: the calls
   * of about a second.
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
      try {
        const open = await deps.findOpenAccounts([...new Set(all.map(({ accountId }) => accountId))]);
        const kept = all.filter(({ accountId }) => open.has(accountId));
        if (kept.length > 0) await deps.counts.add(kept);
      } catch (error) {
        for (const { accountId, day, callCount } of all) {
          const counts = countsOf(day);
          counts.set(accountId, (counts.get(accountId) ?? 0) + callCount);
        }
        throw error;
      }
    },
  };
}
