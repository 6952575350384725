import { createAccountSlots } from '@fairlead/service-kit/slots/account-slots';
import type { Timers } from '@fairlead/service-kit/timers';

/** Larger answers need a place until their client has them. */
export const LARGE_ANSWER_BYTES = 1024 * 1024;

/** Answers of one account that are sent at once by one process, and calls that wait to be answered; those hold nothing meanwhile. */
const LIMITS = { perAccount: 8, perLane: 8, waiting: 100, waitingBytes: Infinity };

/** Parts of one account that are read at once, and how long a part may wait for the others: the answers that wait are those with places. */
const TURNS = { perAccount: 1, perLane: 1, waiting: LIMITS.perAccount, waitingBytes: Infinity };
const TURN_MS = 60_000;

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
  /** Reads a further part of an answer that has a place, one part of an account after the other: its callers share what one of them would cost. */
  inTurn<T>(
    call: { readonly accountId: string; readonly signal: AbortSignal },
    read: () => Promise<T>,
  ): Promise<T>;
  close(): void;
}

/** Creates the places of a process; the timers are those of tests. */
export function createLargeAnswers(timers?: Timers): LargeAnswers {
  const slots = createAccountSlots(LIMITS, timers);
  const turns = createAccountSlots(TURNS, timers);
  return {
    take(call, until) {
      let isTaken = false;
      const taken = Promise.withResolvers<void>();
      slots
        .run({ ...call, lane: '', heldBytes: () => 0 }, () => {
          isTaken = true;
          taken.resolve();
          return until;
        })
        .catch(taken.reject);
      return isTaken ? undefined : taken.promise;
    },
    inTurn: (call, read) => turns.run({ ...call, lane: '', waitMs: TURN_MS, heldBytes: () => 0 }, read),
    close() {
      slots.close();
      turns.close();
    },
  };
}
