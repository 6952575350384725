import { createAccountSlots } from '../slots/account-slots.ts';
import type { AccountSlots } from '../slots/account-slots.ts';
import { WAITING_LIMITS } from '../slots/slot-queue.ts';

/** One slot for every account. */
export function oneSlot(): AccountSlots {
  return createAccountSlots({ perAccount: 1, perPartition: 1, ...WAITING_LIMITS });
}

/** Slots of which this account has none left, and no place to wait. */
export function busySlots(accountId: string): AccountSlots {
  const slots = createAccountSlots({ perAccount: 1, perPartition: 1, waiting: 0, waitingBytes: 0 });
  const { signal } = new AbortController();
  void slots.run(
    { accountId, partition: '', signal, waitMs: 0, heldBytes: () => 0 },
    () => new Promise(() => {}),
  );
  return slots;
}
