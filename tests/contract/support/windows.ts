/** The UTC windows of the clock in which calls are counted. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Runs an attempt; repeats it if it failed while a window of this length ended, which splits the count. */
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

/** Whole seconds until the current window ends, rounded up. */
export function secondsLeftOf(windowMs: number): number {
  return Math.ceil((windowMs - (Date.now() % windowMs)) / 1000);
}
