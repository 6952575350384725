/**
 * The class of the lag between an event's occurrence and its capture: undefined for less than a second, 0 up to 4 s, 1 up to 16 s and so
 * on. If the source's clock is ahead, an event is captured before it occurred: -1, -2 and so on.
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

/** Beyond the longest retention of any source; longer lags belong to the last class, too. */
const MOST_LAGS = 14;

/** The classes, each with its longest lag in milliseconds. */
export const LAGS: readonly { readonly lag: number; readonly atMostMs: number }[] = Array.from(
  { length: MOST_LAGS },
  (_, lag) => ({ lag, atMostMs: lag === MOST_LAGS - 1 ? Infinity : 4 ** (lag + 1) * 1_000 }),
);
