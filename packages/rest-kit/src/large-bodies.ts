import type { IncomingMessage } from 'node:http';
import { createAccountPermits } from '@fairlead/service-kit/permits/account-permits';
import type { LargeBodyRule } from '@fairlead/service-kit/http/read-whole';
import type { Timers } from '@fairlead/service-kit/timers';

/** Bytes above which a body needs a place in memory: the parsed value is many times as large. */
export const LARGE_BODY_BYTES = 256 * 1024;

/** Maximum places for large bodies in a process, per account and in total. */
const PER_ACCOUNT = 8;
const IN_ALL = 32;
/** Calls of an account that may wait for a place; meanwhile their bodies stay with the client. */
const WAITING_PER_ACCOUNT = 100;
/** Calls that may wait for one of the IN_ALL places. Each holds a place of its account, so an account has at most PER_ACCOUNT. */
const WAITING_IN_ALL = 1_000;

/** Minimum speed; a slower body loses its place. 5 MiB take at most 25 s. */
const PACE = { bytesPerSecond: 256 * 1024, graceMs: 5_000 } as const;

/** A call that needs a place if its body is large. */
interface LargeBodyCall {
  readonly accountId: string;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Longest wait. */
  readonly waitMs: number;
}

/** The place in memory of a call, if its body is large. */
export interface LargeBodyPlace extends LargeBodyRule {
  /** Releases the place, if the call has one. */
  release(): void;
}

/** Limits the large bodies in memory, per account and in total. */
export interface LargeBodies {
  /**
   * The place of one call. `admit` waits until a place is free; accounts take turns. It throws RATE_LIMIT_EXCEEDED if
   * none is free within `waitMs`, or if too many calls of the account wait.
   */
  placeFor(call: LargeBodyCall): LargeBodyPlace;
  close(): void;
}

/** Creates the limiter of a process; tests inject the parameters. */
export function createLargeBodies(timers?: Timers, nowMs = (): number => performance.now()): LargeBodies {
  const shares = createAccountPermits(
    {
      perAccount: PER_ACCOUNT,
      perPartition: PER_ACCOUNT,
      waiting: WAITING_PER_ACCOUNT,
      waitingBytes: Infinity,
    },
    timers,
  );
  // A single key for the total; accounts take turns as its partitions.
  const places = createAccountPermits(
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

/** Whether a request's body is large, or of unknown length. */
export function mayBeLarge({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > LARGE_BODY_BYTES
  );
}
