import type { Timers } from '@fairlead/service-kit/timers';
import type { StreamHub } from './stream-hub.ts';

/**
 * Soon after a change, ends the streams of clients that are no longer admitted. Independently of changes, the hub
 * checks each client every minute.
 */
export interface AdmissionChecks {
  close(): void;
}

/**
 * Delay after a change: by then it is written, and the gateway's cached data about it is dropped. Further changes in
 * between share one check.
 */
const SETTLE_MS = 1_000;

/** Checks the streams of an account one second after a change of its servers, credentials or people. */
export function createAdmissionChecks(o: {
  readonly streams: readonly Pick<StreamHub, 'checkAccount'>[];
  /**
   * Calls `onChange` with the account of each change. A missed change, or one without an account, takes effect within
   * a minute.
   */
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
