/** How far the erasure of an account has come. Kept for good, as the proof that it was done: an id and times, nothing else. */
export interface Erasure {
  readonly accountId: string;
  /** `erased`: nothing was left when everything had been asked. */
  readonly state: 'erasing' | 'erased';
  readonly requestedAt: Date;
  /** Null while it is being erased. */
  readonly erasedAt: Date | null;
  /** How often it was erased once more after that. */
  readonly sweepCount: number;
  /** When somebody is to go on with it; null: nothing is left to do. */
  readonly nextAt: Date | null;
}

/** How long whoever works on an erasure is left alone; two who work on one do no harm. */
export const ATTEMPT_MS = 60_000;
/** How long after an attempt that failed the next one is made. */
export const RETRY_MS = 30_000;

const DAY_MS = 24 * 60 * 60_000;
/** Credentials are refused within two seconds, callers' signatures are over within 65; the rest is for clocks and slow machines. */
const LAST_CALLS_MS = 3 * 60_000;

/**
 * When an account is erased once more, in milliseconds after `erasedAt`: what a call that was let in just before wrote just
 * after must not stay. The first time every such call has ended, since a request takes at most `requestTimeoutMs`; the
 * second is for a process that was halted in the middle of one and went on hours later.
 */
export function sweepTimes(requestTimeoutMs: number): readonly number[] {
  return [requestTimeoutMs + LAST_CALLS_MS, DAY_MS];
}

/** `ms` milliseconds after a time. */
export function later(time: Date, ms: number): Date {
  return new Date(time.getTime() + ms);
}

/** The erasure after everything was asked and nothing was left, at `now`. */
export function advance(erasure: Erasure, sweeps: readonly number[], now: Date): Erasure {
  const isFirst = erasure.erasedAt === null;
  const erasedAt = erasure.erasedAt ?? now;
  const sweepCount = isFirst ? 0 : erasure.sweepCount + 1;
  const next = sweeps[sweepCount];
  const nextAt = next === undefined ? null : later(erasedAt, next);
  return { ...erasure, state: 'erased', erasedAt, sweepCount, nextAt };
}
