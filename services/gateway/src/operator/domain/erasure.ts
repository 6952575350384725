/** The progress of an account's erasure. Kept permanently as proof of the erasure: an id and times, nothing else. */
export interface Erasure {
  readonly accountId: string;
  /** `erased`: every domain has reported that nothing is left. */
  readonly state: 'erasing' | 'erased';
  readonly requestedAt: Date;
  /** Null while the account is being erased. */
  readonly erasedAt: Date | null;
  /** Number of repeated erasures since `erasedAt`. */
  readonly sweepCount: number;
  /** When a process must continue the erasure; null: nothing is left to do. */
  readonly nextAt: Date | null;
}

/** For how long a process claims an erasure. Two processes working on one do no harm. */
export const ATTEMPT_MS = 60_000;
/** Delay between a failed attempt and the next one. */
export const RETRY_MS = 30_000;

const DAY_MS = 24 * 60 * 60_000;
/**
 * How long after the closing a call may still be accepted: credentials are refused within two seconds, callers' signatures expire within
 * 65; the rest allows for clock skew and slow machines.
 */
const LAST_CALLS_MS = 3 * 60_000;

/**
 * Times of the repeated erasures, in milliseconds after `erasedAt`. They remove data written by calls that were admitted before the
 * closing. By the first time all such calls have ended, since a request takes at most `requestTimeoutMs`. The second covers a process that
 * was halted during a call and continued hours later.
 */
export function sweepTimes(requestTimeoutMs: number): readonly number[] {
  return [requestTimeoutMs + LAST_CALLS_MS, DAY_MS];
}

/** `ms` milliseconds after a time. */
export function later(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}

/** The erasure after every domain has reported at `now` that nothing is left. */
export function advance(erasure: Erasure, sweeps: readonly number[], now: Date): Erasure {
  const isFirst = erasure.erasedAt === null;
  const erasedAt = erasure.erasedAt ?? now;
  const sweepCount = isFirst ? 0 : erasure.sweepCount + 1;
  const next = sweeps[sweepCount];
  const nextAt = next === undefined ? null : later(erasedAt, next);
  return { ...erasure, state: 'erased', erasedAt, sweepCount, nextAt };
}
