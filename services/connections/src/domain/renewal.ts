const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The last tenth of a day: what was granted in one minute is renewed over more than two hours. */
const DAILY_SPREAD_MS = DAY_MS / 10;
const HOURLY_SPREAD_MS = HOUR_MS / 10;

/** When a grant that was obtained at `now` is renewed though nobody uses it: within a day, spread by connection. */
export function nextRenewal(connectionId: number, now: Date): Date {
  return new Date(now.getTime() + DAY_MS - shareOf(connectionId) * DAILY_SPREAD_MS);
}

/** When a renewal that failed at `now` is tried again: hourly for a day from its first failure on, then daily. */
export function nextAttempt(connectionId: number, failingSince: Date, now: Date): Date {
  if (isGivenUp(failingSince, now)) return nextRenewal(connectionId, now);
  return new Date(now.getTime() + HOUR_MS - shareOf(connectionId) * HOURLY_SPREAD_MS);
}

/** Whether renewals have failed for so long that they are tried only daily. */
export function isGivenUp(failingSince: Date, now: Date): boolean {
  return now.getTime() - failingSince.getTime() >= DAY_MS;
}

/** A share of one that differs between connections as if by chance, and stays the same for each. */
function shareOf(connectionId: number): number {
  // Knuth's multiplicative hash: successive ids are far apart.
  return (Math.imul(connectionId, 2_654_435_761) >>> 0) / 2 ** 32;
}
