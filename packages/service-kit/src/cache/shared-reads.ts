import { systemTimers } from '../timers.ts';
import type { Timers } from '../timers.ts';

/** Time after the start of a read during which others may join it. */
export const SHARED_READ_MS = 40;
/** Margin for timers and clocks that differ between processes. */
const MARGIN_MS = 20;

/** A read in progress, or one that has just ended. */
interface SharedRead<T> {
  /** Time at which the read began, by the clock of the process. */
  readonly beganMs: number;
  readonly value: Promise<T>;
}

/** Reads that callers share for a moment, so that simultaneous requests for the same data cause one read. */
export interface SharedReads<T> {
  /**
   * The read of `key` that began within the last SHARED_READ_MS, or else a new one by `make`, which gets its start
   * time. A failed read is not joined.
   */
  read(key: string, make: (beganMs: number) => Promise<T>): SharedRead<T>;
  /** From now on, earlier reads are not joined. */
  clear(): void;
}

/**
 * Shares reads of at most `capacity` keys. A writer waits for `untilSharedReadsAreOld` before it responds; then no
 * caller that asks after that response gets older data, without a message that could be lost. No read is kept longer
 * than twice SHARED_READ_MS. Tests replace `nowMs` and `timers`.
 */
export function createSharedReads<T>(o: {
  readonly capacity: number;
  readonly nowMs?: () => number;
  readonly timers?: Timers;
}): SharedReads<T> {
  const { nowMs = () => performance.now(), timers = systemTimers } = o;
  // In the order of their start.
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

/** Resolves when no process joins a read that began before the call. */
export function untilSharedReadsAreOld(timers: Timers = systemTimers): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  timers.after(SHARED_READ_MS + MARGIN_MS, resolve);
  return promise;
}
