import { systemTimers } from '../timers.ts';
import type { Timers } from '../timers.ts';

/** How long after a read began others may still join it. */
export const SHARED_READ_MS = 40;
/** More than a timer of one process may be early against the clock of another. */
const MARGIN_MS = 20;

/** A read that is under way or has just ended. */
interface SharedRead<T> {
  /** When it began, by the clock of the process. */
  readonly beganMs: number;
  readonly value: Promise<T>;
}

/** Reads that callers share for a moment, so that what many ask for at once is read once. */
export interface SharedReads<T> {
  /**
   * The read of `key` that began within the last SHARED_READ_MS; otherwise a new one by `make`, which gets the time when it began. One
   * that fails is not joined afterwards.
   */
  read(key: string, make: (beganMs: number) => Promise<T>): SharedRead<T>;
  /** Nobody joins what was read up to now. */
  clear(): void;
}

/**
 * Reads of at most `capacity` keys. Whoever changes what is read waits for `untilSharedReadsAreOld` before it answers; then nobody who
 * asks after that answer gets what was read before the change, without a message that could be lost. Nothing is held for longer
 * than twice SHARED_READ_MS. `nowMs` and `timers` replace the time of the process in tests.
 */
export function createSharedReads<T>(o: {
  readonly capacity: number;
  readonly nowMs?: () => number;
  readonly timers?: Timers;
}): SharedReads<T> {
  const { nowMs = () => performance.now(), timers = systemTimers } = o;
  // In the order in which they began.
  const reads = new Map<string, SharedRead<T>>();
  let isCleaning = false;

  function cleanSoon(): void {
    if (isCleaning || reads.size === 0) return;
    isCleaning = true;
    timers.after(SHARED_READ_MS, () => {
      isCleaning = false;
      for (const [key, { beganMs }] of reads) {
        if (nowMs() - beganMs < SHARED_READ_MS) break;
        reads.delete(key);
      }
      cleanSoon();
    });
  }

  return {
    read(key, make) {
      const beganMs = nowMs();
      const known = reads.get(key);
      if (known !== undefined && beganMs - known.beganMs < SHARED_READ_MS) return known;
      const read = { beganMs, value: make(beganMs) };
      reads.delete(key);
      reads.set(key, read);
      const [oldest] = reads.keys();
      if (reads.size > o.capacity && oldest !== undefined) reads.delete(oldest);
      read.value.catch(() => {
        if (reads.get(key) === read) reads.delete(key);
      });
      cleanSoon();
      return read;
    },
    clear() {
      reads.clear();
    },
  };
}

/** Resolves when no process joins a read any more that began before the call. */
export function untilSharedReadsAreOld(timers: Timers = systemTimers): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  timers.after(SHARED_READ_MS + MARGIN_MS, resolve);
  return promise;
}
