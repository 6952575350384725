import { createAccountPermits } from '@fairlead/service-kit/permits/account-permits';
import type { AccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { WAITING_LIMITS } from '@fairlead/service-kit/permits/permit-queue';
import type { Timers } from '@fairlead/service-kit/timers';

/** Concurrent calls with files, per account and in total: their files are in memory until the vendor has answered. */
const PER_ACCOUNT = 4;
const IN_ALL = 16;
/** Maximum number of calls that wait for a permit of the process. */
const WAITING_IN_ALL = 1_000;

/**
 * Permits for calls with file inputs. Such a call needs three permits: one of its account's share, one of `permits`, and one of the process; it
 * waits for all of them at most `waitMs`, and accounts take turns. All calls acquire them in this order, which prevents deadlocks; calls
 * that wait for the process's permit occupy at most PER_ACCOUNT of the account's `permits`. Calls of a partition for which `isHeld` is true
 * wait before the first permit, until it is false and `wake` is called.
 */
export function createFilePermits(o: {
  readonly permits: Pick<AccountPermits, 'run'>;
  readonly isHeld: (accountId: string, partition: string) => boolean;
  readonly timers?: Timers;
  readonly nowMs?: () => number;
}): AccountPermits {
  const { permits, isHeld, timers, nowMs = () => performance.now() } = o;
  const ofAccount = { perAccount: PER_ACCOUNT, perPartition: PER_ACCOUNT, ...WAITING_LIMITS };
  const shares = createAccountPermits(ofAccount, timers, isHeld);
  // A single account; its partitions are the real accounts.
  const places = createAccountPermits(
    { perAccount: IN_ALL, perPartition: PER_ACCOUNT, waiting: WAITING_IN_ALL, waitingBytes: Infinity },
    timers,
  );

  return {
    run(call, work) {
      const endMs = nowMs() + call.waitMs;
      const inTime = () => ({ ...call, waitMs: Math.max(0, endMs - nowMs()) });
      return shares.run(call, (hasWaitedForShare) =>
        permits.run(inTime(), (hasWaitedForPermit) => {
          const { signal, waitMs } = inTime();
          const place = { accountId: '', partition: call.accountId, signal, waitMs, heldBytes: () => 0 };
          return places.run(place, (hasWaitedForPlace) =>
            work(hasWaitedForShare || hasWaitedForPermit || hasWaitedForPlace),
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
