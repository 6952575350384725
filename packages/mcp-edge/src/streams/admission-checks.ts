import type { Timers } from '@fairlead/service-kit/timers';
import type { StreamHub } from './stream-hub.ts';

/** Ends the streams of clients that are no longer admitted soon after a change; without one the hub checks every minute. */
export interface AdmissionChecks {
  close(): void;
}

/** By then the change is written, and what the gateway has cached of it is dropped. Changes in between share one check. */
const SETTLE_MS = 1_000;

/** Checks the streams of an account a second after a change of its servers, credentials or people. */
export function createAdmissionChecks(o: {
  readonly streams: readonly Pick<StreamHub, 'checkAccount'>[];
  /** Calls `onChange` with the account of each change. A change that is missed, or of no certain account, is seen within a minute. */
  readonly subscribe: (onChange: (accountId: string | undefined) => void) => void;
  readonly timers: Timers;
}): AdmissionChecks {
  const planned = new Set<string>();
  let isClosed = false;
  o.subscribe((accountId) => {
    if (accountId === undefined || isClosed || planned.has(accountId)) return;
    planned.add(accountId);
    o.timers.after(SETTLE_MS, () => {
      planned.delete(accountId);
      if (!isClosed) for (const streams of o.streams) void streams.checkAccount(accountId);
    });
  });
  return {
    close() {
      isClosed = true;
    },
  };
}
