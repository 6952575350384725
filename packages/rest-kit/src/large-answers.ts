import { createAccountSlots } from '@fairlead/service-kit/slots/account-slots';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { Timers } from '@fairlead/service-kit/timers';

/** Larger answers need a place until their client has them. */
export const LARGE_ANSWER_BYTES = 1024 * 1024;

/** Answers of one account that are sent at once by one process, and calls that wait to be answered; those hold nothing meanwhile. */
const LIMITS = { perAccount: 8, perPartition: 8, waiting: 100, waitingBytes: Infinity };

/** Reads of one account at once while it is sent large answers: of pages, and of further parts of them. */
const TURNS = { ...LIMITS, perAccount: 2, perPartition: 1, waiting: LIMITS.perAccount + LIMITS.waiting };
/** So long after a large answer the next page of its account may be another one. */
const RECENT_MS = 1_000;
/** The next turn of an account comes after so many times the time that one took, which are for other accounts. */
const REST_SHARE = 2;
const MAX_REST_MS = 100;
/** How long a part may wait for others: its answer has begun. */
const PART_WAIT_MS = 60_000;

/** Bounds how many large answers of an account are read and sent at once; accounts do not wait for each other. */
export interface LargeAnswers {
  /**
   * Takes a place until `until`: at once, or, if it returns a promise, when that resolves. RATE_LIMIT_EXCEEDED if none is free within
   * `waitMs`, or if too many calls of the account wait.
   */
  take(
    call: { readonly accountId: string; readonly signal: AbortSignal; readonly waitMs: number },
    until: Promise<void>,
  ): Promise<void> | undefined;
  /** Whether a large answer of the account is being sent, or was within the last second. */
  hasLarge(accountId: string): boolean;
  /**
   * Reads a page, or a further part of one that has begun: one page and one part of an account at a time, with a rest after each that is
   * longer than the read, so that its callers share what one of them would cost. RATE_LIMIT_EXCEEDED for a page whose turn does not come
   * within `waitMs`, and for a part after a minute.
   */
  inTurn<T>(
    call: { readonly accountId: string; readonly signal: AbortSignal; readonly waitMs: number },
    partition: 'page' | 'part',
    read: () => Promise<T>,
  ): Promise<T>;
  close(): void;
}

/** Creates the places of a process; the timers are those of tests. */
export function createLargeAnswers(timers: Timers = systemTimers): LargeAnswers {
  const slots = createAccountSlots(LIMITS, timers);
  const turns = createAccountSlots(TURNS, timers);
  /** How many large answers of each account are being sent, or were recently. */
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
      slots
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
      const begun = Promise.withResolvers<{ readonly reading: ReturnType<typeof read> }>();
      turns
        .run({ ...call, waitMs, partition, heldBytes: () => 0 }, async () => {
          const start = performance.now();
          const reading = read();
          begun.resolve({ reading });
          await reading.catch(() => undefined);
          const restMs = Math.min(MAX_REST_MS, REST_SHARE * (performance.now() - start));
          await new Promise<void>((rested) => void timers.after(restMs, rested));
        })
        .catch(begun.reject);
      return await (
        await begun.promise
      ).reading;
    },
    close() {
      slots.close();
      turns.close();
    },
  };
}
