import { createAccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { Timers } from '@fairlead/service-kit/timers';

/** Maximum large bodies of one account that are captured per second. */
const BYTES_PER_SECOND = 16 * 1024 * 1024;
/** Maximum waiting calls of an account, each of which holds a place in memory for its body. */
const WAITING = 8;
const WAIT_MS = 5_000;

/** A call with a large body. */
interface LargeCall {
  readonly accountId: string;
  readonly bytes: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** The turns of an account's large calls. */
export interface LargeTurns {
  /**
   * Runs `work` in the account's next turn. Without running it, throws RATE_LIMIT_EXCEEDED if no turn comes in time,
   * and TIMEOUT if `signal` aborts first.
   */
  run<R>(call: LargeCall, work: () => Promise<R>): Promise<R>;
  close(): void;
}

/**
 * Captures the large calls of an account one after the other, whatever their addresses, at a limited rate: each keeps
 * the main threads of two services busy, and calls of other accounts wait for these.
 */
export function createLargeTurns(timers: Timers = systemTimers): LargeTurns {
  const permits = createAccountPermits(
    { perAccount: 1, perPartition: 1, waiting: WAITING, waitingBytes: Infinity },
    timers,
  );

  return {
    run: ({ accountId, bytes, signal }, work) =>
      new Promise((resolve, reject) => {
        const turn = { accountId, partition: '', signal, waitMs: WAIT_MS, heldBytes: () => 0 };
        permits
          .run(turn, async () => {
            const result = work();
            resolve(result);
            const share = new Promise<void>((end) => {
              timers.after((1_000 * bytes) / BYTES_PER_SECOND, end);
            });
            await Promise.allSettled([result, share]);
          })
          .catch(reject);
      }),
    close: () => permits.close(),
  };
}
