import type { Logger } from './logger.ts';

/** Processor time that is spent on the data of single accounts. */
export interface AccountCpu {
  /** Adds processor time that was spent on an account's own data, such as that of its worker processes. */
  readonly charge: (accountId: string, ms: number) => void;
  /** Runs work that does not wait for anything, and charges the account with the time it took. */
  readonly measure: <T>(accountId: string, work: () => T) => T;
  /** Logs what was charged since the last line. */
  close(): void;
}

/** Accounts of a line; those that used most. */
const LISTED = 20;
/** Accounts that are told apart within an interval. */
const MAX_ACCOUNTS = 10_000;
const EVERY_MS = 60_000;

/**
 * Logs, once in `everyMs` (default a minute), which accounts were charged with most processor time since, and how much it
 * was in all; nothing if none was charged. A log line, because metrics take no ids.
 */
export function createAccountCpu(o: { readonly log: Logger; readonly everyMs?: number }): AccountCpu {
  let charged = new Map<string, number>();
  let totalMs = 0;

  function charge(accountId: string, ms: number): void {
    totalMs += ms;
    const known = charged.get(accountId);
    if (known !== undefined || charged.size < MAX_ACCOUNTS) charged.set(accountId, (known ?? 0) + ms);
  }

  function report(): void {
    if (totalMs === 0) return;
    const accounts = [...charged]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, LISTED)
      .map(([accountId, ms]) => ({ accountId, cpuMs: Math.round(ms) }));
    o.log.info(
      { accounts, accountCount: charged.size, totalCpuMs: Math.round(totalMs) },
      'processor time by account',
    );
    charged = new Map();
    totalMs = 0;
  }

  const timer = setInterval(report, o.everyMs ?? EVERY_MS).unref();
  return {
    charge,
    measure(accountId, work) {
      const startedAt = performance.now();
      try {
        return work();
      } finally {
        charge(accountId, performance.now() - startedAt);
      }
    },
    close() {
      clearInterval(timer);
      report();
    },
  };
}
