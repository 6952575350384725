/** The windows of the clock, in UTC, in which calls are counted. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Runs an attempt, and runs it again if it failed while a window of this length ended: half of it was counted in each. */
export async function withinOne(windowMs: number, attempt: () => Promise<void>): Promise<void> {
  for (;;) {
    const window = Math.floor(Date.now() / windowMs);
    try {
      return await attempt();
    } catch (error) {
      if (Math.floor(Date.now() / windowMs) === window) throw error;
    }
  }
}

/** The whole seconds until such a window ends, the one that has begun included. */
export function secondsLeftOf(windowMs: number): number {
  return Math.ceil((windowMs - (Date.now() % windowMs)) / 1000);
}
