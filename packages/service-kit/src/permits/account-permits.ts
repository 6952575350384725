import { ApiError, overloaded } from '@fairlead/errors/api-error';
import { systemTimers } from '../timers.ts';
import type { Timers } from '../timers.ts';
import { recordPermit, watchPermits } from './metrics.ts';
import { PermitQueue } from './permit-queue.ts';
import type { PartitionLimits, PermitLimits } from './permit-queue.ts';

/** A call that needs a permit. */
export interface PermitCall {
  readonly accountId: string;
  /** The part of the account with a separate limit, such as a connection. */
  readonly partition: string;
  /** Lower limits for this partition. */
  readonly partitionLimits?: PartitionLimits;
  /** Removes a waiting call from the queue when it aborts. */
  readonly signal: AbortSignal;
  /** Longest wait. */
  readonly waitMs: number;
  /** Approximate memory of the waiting call; only called if it has to wait. */
  readonly heldBytes: () => number;
}

/** Limits the simultaneous calls of each account, and of each of its partitions, in this process. */
export interface AccountPermits {
  /**
   * Runs `work` as soon as the account and the partition have a free permit. The calls of a partition run in order,
   * and the partitions of an account take turns; accounts do not wait for each other. `hasWaited` tells `work`
   * whether the situation may have changed since the call arrived. Throws RATE_LIMIT_EXCEEDED, without running
   * `work`, if no permit is free within `waitMs`, or at once if too many calls of the account or the partition wait;
   * TIMEOUT if `signal` aborts first.
   */
  run<R>(call: PermitCall, work: (hasWaited: boolean) => Promise<R>): Promise<R>;
  /** Starts the waiting calls of a partition that is no longer held. */
  wake(accountId: string): void;
  /** Removes the permits from the metrics page. */
  close(): void;
}

/**
 * Permits for calls that wait for an external server, so that no account can use up the sockets and memory of the
 * others. The calls of a partition that `isHeld` wait, even if permits are free, until it is no longer held and
 * `wake` is called.
 */
export function createAccountPermits(
  limits: PermitLimits,
  timers: Timers = systemTimers,
  isHeld: (accountId: string, partition: string) => boolean = () => false,
): AccountPermits {
  const accounts = new Map<string, PermitQueue>();
  const unwatch = watchPermits(() => [...accounts.values()].reduce((sum, { waiting }) => sum + waiting, 0));

  function queueOf(accountId: string): PermitQueue {
    let queue = accounts.get(accountId);
    if (queue === undefined) {
      queue = new PermitQueue(limits, (partition) => isHeld(accountId, partition));
      accounts.set(accountId, queue);
    }
    return queue;
  }

  /** Resolves to whether the call had to wait. */
  function acquire(queue: PermitQueue, call: PermitCall): Promise<boolean> | false {
    if (call.signal.aborted) throw left();
    if (queue.take(call.partition, call.partitionLimits)) {
      recordPermit('free');
      return false;
    }
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const settled = (): void => {
      timer.cancel();
      call.signal.removeEventListener('abort', onAbort);
    };
    const entry = queue.wait({
      partition: call.partition,
      partitionLimits: call.partitionLimits,
      heldBytes: call.heldBytes(),
      start() {
        settled();
        recordPermit('waited');
        resolve(true);
      },
    });
    if (entry === undefined) {
      recordPermit('full');
      throw tooMany('Too many calls of this account wait already.');
    }
    const leave = (error: ApiError): void => {
      queue.leave(entry);
      settled();
      reject(error);
    };
    const onAbort = (): void => {
      recordPermit('left');
      leave(left());
    };
    const timer = timers.after(call.waitMs, () => {
      recordPermit('late');
      leave(tooMany('Other calls of this account or connection are in progress, and none ended in time.'));
    });
    call.signal.addEventListener('abort', onAbort, { once: true });
    return promise;
  }

  return {
    async run(call, work) {
      const queue = queueOf(call.accountId);
      try {
        const acquired = acquire(queue, call);
        // Permits are nearly always free; awaiting would cost a turn of the event loop.
        const hasWaited = acquired === false ? false : await acquired;
        try {
          return await work(hasWaited);
        } finally {
          queue.release(call.partition);
        }
      } finally {
        if (queue.isIdle) accounts.delete(call.accountId);
      }
    },
    wake: (accountId) => accounts.get(accountId)?.wake(),
    close: unwatch,
  };
}

function tooMany(reason: string): ApiError {
  return overloaded(`${reason} Nothing was executed.`);
}

function left(): ApiError {
  return new ApiError('TIMEOUT', 'The deadline of this call has passed. Nothing was executed.');
}
