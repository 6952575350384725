const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Renewals are spread over the last tenth of a day: grants of one minute are renewed over more than two hours. */
const DAILY_SPREAD_MS = DAY_MS / 10;
const HOURLY_SPREAD_MS = HOUR_MS / 10;

/** When an unused grant obtained at `now` is renewed: within a day, spread by connection id. */
export function nextRenewal(connectionId: number, now: Date): Date {
  return new Date(now.getTime() + DAY_MS - shareOf(connectionId) * DAILY_SPREAD_MS);
}

/** When a renewal that failed at `now` is retried: hourly for a day after the first failure, then daily. */
export function nextAttempt(connectionId: number, failingSince: Date, now: Date): Date {
  if (isGivenUp(failingSince, now)) return nextRenewal(connectionId, now);
  return new Date(now.getTime() + HOUR_MS - shareOf(connectionId) * HOURLY_SPREAD_MS);
}

/** Whether renewals have failed for so long that they are retried only daily. */
export function isGivenUp(failingSince: Date, now: Date): boolean {
  return now.getTime() - failingSince.getTime() >= DAY_MS;
}

/** A pseudo-random fraction of one, constant for each connection. */
function shareOf(connectionId: number): number {
  // Knuth's multiplicative hash: results for successive ids are far apart.
  return (Math.imul(connectionId, 2_654_435_761) >>> 0) / 2 ** 32;
}
