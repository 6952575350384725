import { createAccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { Timers } from '@fairlead/service-kit/timers';

/** Bytes above which an answer occupies one of the limited places until its client has received it. */
export const LARGE_ANSWER_BYTES = 1024 * 1024;

/**
 * Large answers that a process sends at once for an account, and calls that wait for a place. Waiting calls hold
 * nothing in memory.
 */
const LIMITS = { perAccount: 8, perPartition: 8, waiting: 100, waitingBytes: Infinity };

/** Simultaneous reads (of pages and of further parts) for an account that is being sent large answers. */
const TURNS = { ...LIMITS, perAccount: 2, perPartition: 1, waiting: LIMITS.perAccount + LIMITS.waiting };
/** Time after a large answer during which the account's next page is expected to be large too. */
const RECENT_MS = 1_000;
/** After a read, the account pauses for this multiple of the read's duration, which leaves the time to other accounts. */
const REST_SHARE = 2;
const MAX_REST_MS = 100;
/** Time for which a further part may wait; its answer has already begun. */
const PART_WAIT_MS = 60_000;

/** Limits the large answers of an account that are read and sent at once. Accounts do not wait for each other. */
export interface LargeAnswers {
  /**
   * Takes a place: at once, or, if it returns a promise, when that resolves. The place is held until the promise
   * `until` settles. Throws RATE_LIMIT_EXCEEDED if none is free within `waitMs`, or if too many calls of the account
   * wait.
   */
  take(
    call: { readonly accountId: string; readonly signal: AbortSignal; readonly waitMs: number },
    until: Promise<void>,
  ): Promise<void> | undefined;
  /** Whether a large answer of the account is being sent, or was sent within the last second. */
  hasLarge(accountId: string): boolean;
  /**
   * Reads a page, or a further part of one. For each account, one page and one part are read at a time, with a pause
   * after each that is longer than the read, so an account costs at most what one such caller would cost. Throws
   * RATE_LIMIT_EXCEEDED for a page that gets no turn within `waitMs`, and for a part after a minute.
   */
  inTurn<T>(
    call: { readonly accountId: string; readonly signal: AbortSignal; readonly waitMs: number },
    partition: 'page' | 'part',
    read: () => Promise<T>,
  ): Promise<T>;
  close(): void;
}

/** Creates the limiter of a process; tests inject the timers. */
export function createLargeAnswers(timers: Timers = systemTimers): LargeAnswers {
  const permits = createAccountPermits(LIMITS, timers);
  const turns = createAccountPermits(TURNS, timers);
  /** Number of large answers of each account that are being sent, or were sent recently. */
  const recent = new Map<string, number>();
  const note = (accountId: string, change: 1 | -1): void => {
    const count = (recent.get(accountId) ?? 0) + change;
    if (count === 0) recent.delete(accountId);
    else recent.set(accountId, count);
  };
  return {
    take(call, until) {
      let isTaken = false;
      const taken = Promise.withResolvers<void>();
      permits
        .run({ ...call, partition: '', heldBytes: () => 0 }, () => {
          isTaken = true;
          taken.resolve();
          note(call.accountId, 1);
          until.then(
            () => timers.after(RECENT_MS, () => note(call.accountId, -1)),
            () => note(call.accountId, -1),
          );
          return until;
        })
        .catch(taken.reject);
      return isTaken ? undefined : taken.promise;
    },
    hasLarge: (accountId) => recent.has(accountId),
    async inTurn(call, partition, read) {
      const waitMs = partition === 'part' ? PART_WAIT_MS : call.waitMs;
      const readingStart = Promise.withResolvers<{ readonly reading: ReturnType<typeof read> }>();
      turns
        .run({ ...call, waitMs, partition, heldBytes: () => 0 }, async () => {
          const start = performance.now();
          const reading = read();
          readingStart.resolve({ reading });
          await reading.catch(() => undefined);
          const restMs = Math.min(MAX_REST_MS, REST_SHARE * (performance.now() - start));
          await new Promise<void>((rested) => void timers.after(restMs, rested));
        })
        .catch(readingStart.reject);
      return await (
        await readingStart.promise
      ).reading;
    },
    close() {
      permits.close();
      turns.close();
    },
  };
}
