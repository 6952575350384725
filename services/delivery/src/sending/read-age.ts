import type { Timers } from '@fairlead/service-kit/timers';

/** How long after a destination was read a request may begin with what was read. */
export const MAX_READ_AGE_MS = 100;
/** More than what a timer of one process may be late against the clock of another. */
const MARGIN_MS = 50;

/** Resolves when no process may begin a request with what it read of a destination before the call. */
export function untilReadsAreStale(timers: Timers): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  timers.after(MAX_READ_AGE_MS + MARGIN_MS, resolve);
  return promise;
}
