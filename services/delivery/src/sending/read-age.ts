import type { Timers } from '@fairlead/service-kit/timers';

/** How long after reading a destination a request may begin with the result. */
export const MAX_READ_AGE_MS = 100;
/** Longer than the timers of two processes may differ. */
const MARGIN_MS = 50;

/** Resolves when no process may begin a request with an earlier read of a destination. */
export function untilReadsAreStale(timers: Timers): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  timers.after(MAX_READ_AGE_MS + MARGIN_MS, resolve);
  return promise;
}
