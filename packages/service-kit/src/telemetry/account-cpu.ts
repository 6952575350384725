import type { Logger } from './logger.ts';

/** Processor time spent on the data of single accounts. */
export interface AccountCpu {
  /** Adds processor time spent on an account's data, such as that of its worker processes. */
  readonly charge: (accountId: string, ms: number) => void;
  /** Runs synchronous work, and charges the account with its duration. */
  readonly measure: <T>(accountId: string, work: () => T) => T;
  /** Logs the charges since the last line. */
  close(): void;
}

/** Maximum accounts in a line, the ones with the highest charges. */
const LISTED = 20;
/** Maximum accounts that are counted separately within an interval. */
const MAX_ACCOUNTS = 10_000;
const EVERY_MS = 60_000;

/**
 * Logs once per `everyMs` (default: a minute) the accounts that were charged with most processor time since, and the
 * total; nothing if none was charged. It is a log line, because metrics have no ids as labels.
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
