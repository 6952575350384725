/**
 * The class of the time between an event's occurrence and its capture: undefined if it is less than a second, 0 for up to 4 s, 1 for up to
 * 16 s and so on. An event that is captured before it occurred, as its source's clock is ahead, has -1, -2 and so on.
 */
export function lagOf({
  occurredAt,
  capturedAt,
}: {
  readonly occurredAt: Date;
  readonly capturedAt: Date;
}): number | undefined {
  const lagMs = capturedAt.getTime() - occurredAt.getTime();
  const seconds = Math.abs(lagMs) / 1_000;
  if (seconds < 1) return undefined;
  const lag = Math.min(MOST_LAGS - 1, Math.floor(Math.log2(seconds) / 2));
  return lagMs > 0 ? lag : -1 - lag;
}

/** More than the longest retention of any source; what is later still is of the last class. */
const MOST_LAGS = 14;

/** The classes, each with the most milliseconds between occurrence and capture. */
export const LAGS: readonly { readonly lag: number; readonly atMostMs: number }[] = Array.from(
  { length: MOST_LAGS },
  (_, lag) => ({ lag, atMostMs: lag === MOST_LAGS - 1 ? Infinity : 4 ** (lag + 1) * 1_000 }),
);
