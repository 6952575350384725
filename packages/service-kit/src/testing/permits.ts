import { createAccountPermits } from '../permits/account-permits.ts';
import type { AccountPermits } from '../permits/account-permits.ts';
import { WAITING_LIMITS } from '../permits/permit-queue.ts';

/** One permit for every account. */
export function onePermit(): AccountPermits {
  return createAccountPermits({ perAccount: 1, perPartition: 1, ...WAITING_LIMITS });
}

/** Permits that this account has used up, without room for waiting calls. */
export function busyPermits(accountId: string): AccountPermits {
  const permits = createAccountPermits({ perAccount: 1, perPartition: 1, waiting: 0, waitingBytes: 0 });
  const { signal } = new AbortController();
  void permits.run(
    { accountId, partition: '', signal, waitMs: 0, heldBytes: () => 0 },
    () => new Promise(() => {}),
  );
  return permits;
}
