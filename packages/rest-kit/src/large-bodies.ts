import type { IncomingMessage } from 'node:http';
import { createAccountSlots } from '@fairlead/service-kit/slots/account-slots';
import type { LargeBodyRule } from '@fairlead/service-kit/http/read-whole';
import type { Timers } from '@fairlead/service-kit/timers';

/** Larger bodies need a place in memory: what is built of one is many times its size. */
export const LARGE_BODY_BYTES = 256 * 1024;

/** Places of one account, and of all accounts, in one process. */
const PER_ACCOUNT = 8;
const IN_ALL = 32;
/** Calls of one account that may wait for a place; their bodies stay with the client. */
const WAITING_PER_ACCOUNT = 100;
/** Each has a place of its account, so that there are at most PER_ACCOUNT of each. */
const WAITING_IN_ALL = 1_000;

/** A body that is slower gives its place up: 5 MiB take 25 s at most. */
const PACE = { bytesPerSecond: 256 * 1024, graceMs: 5_000 } as const;

/** A call that needs a place if its body is large. */
interface LargeBodyCall {
  readonly accountId: string;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Longest wait. */
  readonly waitMs: number;
}

/** A place that a call takes if its body is large. */
export interface LargeBodyPlace extends LargeBodyRule {
  /** Gives the place up, if the call has one. */
  release(): void;
}

/** Bounds how many large bodies of an account, and of all accounts, are in memory at once. */
export interface LargeBodies {
  /**
   * The place of one call. `admit` takes it as soon as one is free; accounts have their turns. It throws
   * RATE_LIMIT_EXCEEDED if none is free within `waitMs`, or if too many calls of the account wait.
   */
  placeFor(call: LargeBodyCall): LargeBodyPlace;
  close(): void;
}

/** Creates the places of a process; the parameters are those of tests. */
export function createLargeBodies(timers?: Timers, nowMs = (): number => performance.now()): LargeBodies {
  const shares = createAccountSlots(
    {
      perAccount: PER_ACCOUNT,
      perPartition: PER_ACCOUNT,
      waiting: WAITING_PER_ACCOUNT,
      waitingBytes: Infinity,
    },
    timers,
  );
  // One account for all of them, whose partitions are the accounts.
  const places = createAccountSlots(
    { perAccount: IN_ALL, perPartition: PER_ACCOUNT, waiting: WAITING_IN_ALL, waitingBytes: Infinity },
    timers,
  );

  function take({ accountId, signal, waitMs }: LargeBodyCall, until: Promise<void>): Promise<void> {
    const wait = { signal, heldBytes: () => 0 };
    const endMs = nowMs() + waitMs;
    const taken = Promise.withResolvers<void>();
    shares
      .run({ accountId, partition: '', waitMs, ...wait }, () => {
        const leftMs = Math.max(0, endMs - nowMs());
        return places.run({ accountId: '', partition: accountId, waitMs: leftMs, ...wait }, () => {
          taken.resolve();
          return until;
        });
      })
      .catch(taken.reject);
    return taken.promise;
  }

  return {
    placeFor(call) {
      const end = Promise.withResolvers<void>();
      return {
        bytes: LARGE_BODY_BYTES,
        pace: PACE,
        admit: () => take(call, end.promise),
        release: () => end.resolve(),
      };
    },
    close() {
      shares.close();
      places.close();
    },
  };
}

/** Whether the body of a request is large, or of a length that only its end tells. */
export function mayBeLarge({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > LARGE_BODY_BYTES
  );
}
