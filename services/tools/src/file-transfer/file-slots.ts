import { createAccountSlots } from '@fairlead/service-kit/slots/account-slots';
import type { AccountSlots } from '@fairlead/service-kit/slots/account-slots';
import { WAITING_LIMITS } from '@fairlead/service-kit/slots/slot-queue';
import type { Timers } from '@fairlead/service-kit/timers';

/** Concurrent calls with files, per account and in total: their files are in memory until the vendor has answered. */
const PER_ACCOUNT = 4;
const IN_ALL = 16;
/** Limits of an account's share, which also keep each of its other resources at PER_ACCOUNT. */
const WAITING_IN_ALL = 1_000;

/**
 * Slots for calls with file inputs. Such a call needs three permits: one of its account's share, one of `slots`, and one of the process; it
 * waits for all of them at most `waitMs`, and accounts take turns. All calls acquire them in this order, which prevents deadlocks; calls
 * that wait for the process's permit occupy at most PER_ACCOUNT of the account's `slots`. Calls of a partition for which `isHeld` is true
 * wait before the first permit, until it is false and `wake` is called.
 */
export function createFileSlots(o: {
  readonly slots: Pick<AccountSlots, 'run'>;
  readonly isHeld: (accountId: string, partition: string) => boolean;
  readonly timers?: Timers;
  readonly nowMs?: () => number;
}): AccountSlots {
  const { slots, isHeld, timers, nowMs = () => performance.now() } = o;
  const ofAccount = { perAccount: PER_ACCOUNT, perPartition: PER_ACCOUNT, ...WAITING_LIMITS };
  const shares = createAccountSlots(ofAccount, timers, isHeld);
  // A single account; its partitions are the real accounts.
  const places = createAccountSlots(
    { perAccount: IN_ALL, perPartition: PER_ACCOUNT, waiting: WAITING_IN_ALL, waitingBytes: Infinity },
    timers,
  );

  return {
    run(call, work) {
      const endMs = nowMs() + call.waitMs;
      const inTime = () => ({ ...call, waitMs: Math.max(0, endMs - nowMs()) });
      return shares.run(call, (hasWaitedForShare) =>
        slots.run(inTime(), (hasWaitedForSlot) => {
          const { signal, waitMs } = inTime();
          const place = { accountId: '', partition: call.accountId, signal, waitMs, heldBytes: () => 0 };
          return places.run(place, (hasWaitedForPlace) =>
            work(hasWaitedForShare || hasWaitedForSlot || hasWaitedForPlace),
          );
        }),
      );
    },
    wake: (accountId) => shares.wake(accountId),
    close() {
      shares.close();
      places.close();
    },
  };
}
