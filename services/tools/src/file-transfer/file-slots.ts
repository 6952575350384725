import { createAccountSlots } from '@fairlead/service-kit/slots/account-slots';
import type { AccountSlots } from '@fairlead/service-kit/slots/account-slots';
import { WAITING_LIMITS } from '@fairlead/service-kit/slots/slot-queue';
import type { Timers } from '@fairlead/service-kit/timers';

/** Calls with files that run at once, of one account and of all: the files of each are in memory until its vendor has answered. */
const PER_ACCOUNT = 4;
const IN_ALL = 16;
/** Each has a share of its account, so that there are at most PER_ACCOUNT of each. */
const WAITING_IN_ALL = 1_000;

/**
 * Slots for calls whose inputs are files: such a call has a share of its account's, one of `slots`, and one of the places of the
 * process, and waits for all of them no longer than its `waitMs`; accounts have their turns. Every call takes them in this order, so
 * that none waits for another that waits for it, and what waits for a place holds at most PER_ACCOUNT of the account's `slots`.
 * Calls of a partition that `isHeld` wait without a share, until it no longer is and `wake` is called.
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
  // One account for all of them, whose partitions are the accounts.
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
