/** Lengths of the fixed windows in which calls are counted, in milliseconds. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** The start of the UTC window of that length that contains `nowMs`. */
export function windowStart(nowMs: number, lengthMs: number): number {
  return nowMs - (nowMs % lengthMs);
}

/** Whole seconds from `nowMs` until the next window begins; at least 1. */
export function secondsLeft(nowMs: number, lengthMs: number): number {
  return Math.ceil((lengthMs - (nowMs % lengthMs)) / SECOND_MS);
}
