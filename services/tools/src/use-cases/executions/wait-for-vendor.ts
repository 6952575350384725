import { ApiError } from '@fairlead/errors/api-error';
import type { AccountPermits, PermitCall } from '@fairlead/service-kit/permits/account-permits';
import type { Connection } from '../../domain/target.ts';
import type { VendorLimits } from '../../ports/vendor-limits.ts';

export interface WaitForVendorDeps {
  /** Permits for checks before a call: many calls of one account must not delay the checks of others. */
  readonly checkPermits: Pick<AccountPermits, 'run'>;
  /** Permits for calls; partitions are connections, which are held while their vendor limits them. */
  readonly permits: Pick<AccountPermits, 'run'>;
  readonly vendorLimits: Pick<VendorLimits, 'until'>;
}

/** A call with a known connection. */
interface PermitRequest extends Omit<PermitCall, 'partition' | 'waitMs'> {
  readonly connection: Pick<Connection, 'id' | 'credential'>;
  /** Calls no vendor, so that it waits for no limit. */
  readonly isDryRun: boolean;
  /** Remaining time for the wait. */
  readonly waitMs: () => number;
}

/**
 * Runs `onPermit` as soon as account and connection have a free permit and the vendor accepts calls of the connection. `hasWaited`: something
 * may have changed since the call arrived. If the vendor's limit outlasts the call's time, runs `onVendorLimit` as soon as that is known.
 * RATE_LIMIT_EXCEEDED if there is no permit for another reason.
 */
export async function waitForVendor<R>(
  deps: WaitForVendorDeps,
  call: PermitRequest,
  o: {
    readonly onPermit: (hasWaited: boolean) => Promise<R>;
    readonly onVendorLimit: (until: Date) => Promise<R>;
  },
): Promise<R> {
  const { accountId, signal, heldBytes, connection, isDryRun, waitMs } = call;
  const limitedUntil = (): Date | undefined =>
    isDryRun ? undefined : deps.vendorLimits.until(accountId, connection);
  const say = (until: Date): Promise<R> =>
    deps.checkPermits.run({ accountId, signal, heldBytes, partition: '', waitMs: waitMs() }, () =>
      o.onVendorLimit(until),
    );
  const partition = isDryRun ? `${connection.id} dry run` : String(connection.id);
  let hasWaitedBefore = false;
  for (;;) {
    const until = limitedUntil();
    if (until !== undefined && until.getTime() - Date.now() > waitMs()) return say(until);
    let hasStarted = false;
    try {
      const permit = { accountId, signal, heldBytes, partition, waitMs: waitMs() };
      const ended = await deps.permits.run(permit, async (hasWaited) => {
        hasWaitedBefore ||= hasWaited;
        // Another call may have been refused by the vendor since this one got its permit.
        if (hasWaited && limitedUntil() !== undefined) return undefined;
        hasStarted = true;
        return { result: await o.onPermit(hasWaitedBefore) };
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
