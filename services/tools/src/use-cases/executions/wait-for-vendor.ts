import { ApiError } from '@fairlead/errors/api-error';
import type { AccountSlots, SlotCall } from '@fairlead/service-kit/slots/account-slots';
import type { Connection } from '../../domain/target.ts';
import type { VendorLimits } from '../../ports/vendor-limits.ts';

export interface WaitForVendorDeps {
  /** For the checks before a call: many calls of one account at once must not keep those of others waiting for theirs. */
  readonly checkSlots: Pick<AccountSlots, 'run'>;
  /** For the calls; their partitions are connections, and wait while the vendor limits them. */
  readonly slots: Pick<AccountSlots, 'run'>;
  readonly vendorLimits: Pick<VendorLimits, 'until'>;
}

/** A call whose connection is known. */
interface WaitingCall extends Omit<SlotCall, 'partition' | 'waitMs'> {
  readonly connection: Pick<Connection, 'id' | 'credential'>;
  /** It calls no vendor, and waits for none. */
  readonly isDryRun: boolean;
  /** How long it may still wait. */
  readonly waitMs: () => number;
}

/**
 * Runs `onSlot` as soon as the account and the connection have a free slot and the vendor takes calls of the connection.
 * `hasWaited`: something may have changed since the call arrived. If the vendor takes none in the time that the call has, runs
 * `onVendorLimit` instead, as soon as that is known. RATE_LIMIT_EXCEEDED if there is no slot for another reason.
 */
export async function waitForVendor<R>(
  deps: WaitForVendorDeps,
  call: WaitingCall,
  o: {
    readonly onSlot: (hasWaited: boolean) => Promise<R>;
    readonly onVendorLimit: (until: Date) => Promise<R>;
  },
): Promise<R> {
  const { accountId, signal, heldBytes, connection, isDryRun, waitMs } = call;
  const limitedUntil = (): Date | undefined =>
    isDryRun ? undefined : deps.vendorLimits.until(accountId, connection);
  const say = (until: Date): Promise<R> =>
    deps.checkSlots.run({ accountId, signal, heldBytes, partition: '', waitMs: waitMs() }, () =>
      o.onVendorLimit(until),
    );
  const partition = isDryRun ? `${connection.id} dry run` : String(connection.id);
  let hasWaitedBefore = false;
  for (;;) {
    const until = limitedUntil();
    if (until !== undefined && until.getTime() - Date.now() > waitMs()) return say(until);
    let hasStarted = false;
    try {
      const slot = { accountId, signal, heldBytes, partition, waitMs: waitMs() };
      const ended = await deps.slots.run(slot, async (hasWaited) => {
        hasWaitedBefore ||= hasWaited;
        // Another call may have been refused since this one was let go.
        if (hasWaited && limitedUntil() !== undefined) return undefined;
        hasStarted = true;
        return { result: await o.onSlot(hasWaitedBefore) };
      });
      if (ended !== undefined) return ended.result;
    } catch (error) {
      const limit = hasStarted ? undefined : limitedUntil();
      if (limit === undefined || !(error instanceof ApiError) || error.code !== 'RATE_LIMIT_EXCEEDED')
        throw error;
      return say(limit);
    }
  }
}
