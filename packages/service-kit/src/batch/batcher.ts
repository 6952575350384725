import { overloaded } from '@fairlead/errors/api-error';
import { LinkedList } from '../collections/linked-list.ts';
import type { ListEntry } from '../collections/linked-list.ts';
import { systemTimers } from '../timers.ts';
import type { Timers } from '../timers.ts';

/** The result or error of one item of a batch. */
export type ItemResult<R> =
  { readonly status: 'done'; readonly value: R } | { readonly status: 'failed'; readonly error: unknown };

/** Options of adding an item. */
interface AddOptions {
  /** Approximate memory of the waiting item; 0 if absent. */
  readonly bytes?: number;
  /** Removes the item from the queue when it aborts. If its batch is already in progress, the outcome is unknown. */
  readonly signal?: AbortSignal;
  /** Adds the item even if the queue is full: for the end of work that has begun. */
  readonly isUrgent?: boolean;
}

/** Processes many callers' items in batches. */
export interface Batcher<T, R> {
  /**
   * Settles with the item's own result, or rejects with its batch's error. RATE_LIMIT_EXCEEDED if the queue is full,
   * with nothing done; the signal's reason if that aborts first.
   */
  add(item: T, o?: AddOptions): Promise<R>;
  /** Resolves when no item waits and no batch is in progress. For a stop. */
  drain(): Promise<void>;
}

/** Limits of batches and of the queue. */
export interface BatchLimits {
  readonly itemsPerBatch: number;
  readonly bytesPerBatch: number;
  readonly waitingItems: number;
  readonly waitingBytes: number;
  /** Maximum simultaneous batches; more than one only if the last one takes longer than `slowMs`. */
  readonly batches: number;
  readonly slowMs: number;
  /** Up to this number of items in progress or waiting, each item is a batch of its own at once. Default: 0. */
  readonly fewItems?: number;
  /**
   * Pause after a batch of `afterItems` or more, unless the next one is full: `ms` from its start, or `timesTaken`
   * times its duration from its start, whichever is shorter. Default: none.
   */
  readonly rest?: { readonly ms: number; readonly afterItems: number; readonly timesTaken?: number };
}

const NO_REST: NonNullable<BatchLimits['rest']> = { ms: 0, afterItems: 0 };

interface Waiter<T, R> {
  readonly item: T;
  readonly bytes: number;
  readonly end: (settle: () => void) => void;
  readonly resolve: (value: R) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Group commit. If no batch is in progress, the items of one turn of the event loop become a batch at its end. Items
 * that arrive during a batch, or in the turn in which it ends, go into the next one. Items keep their order of
 * arrival. `process` returns a result for each item, in order; if it rejects, every item does. A batch that hangs
 * delays the others for `slowMs` only. Tests replace `now` and `timers`.
 */
export function createBatcher<T, R>(o: {
  readonly process: (items: readonly T[]) => Promise<readonly ItemResult<R>[]>;
  readonly limits: BatchLimits;
  readonly now?: () => number;
  readonly timers?: Timers;
}): Batcher<T, R> {
  const { limits, now = () => performance.now(), timers = systemTimers } = o;
  const { fewItems = 0, rest: { ms: restMs, afterItems, timesTaken } = NO_REST } = limits;
  const waiting = new LinkedList<Waiter<T, R>>();
  let waitingBytes = 0;
  let underWay = 0;
  let underWayItems = 0;
  let lastStart = Number.NEGATIVE_INFINITY;
  let lastItems = 0;
  let lastTookMs = 0;
  let isResting = false;
  let isScheduled = false;
  let onIdle: (() => void)[] = [];

  const leave = (entry: ListEntry<Waiter<T, R>>): void => {
    if (waiting.remove(entry)) waitingBytes -= entry.item.bytes;
  };

  function nextBatch(): readonly Waiter<T, R>[] {
    const batch: Waiter<T, R>[] = [];
    let bytes = 0;
    for (let entry = waiting.first; entry !== undefined; entry = waiting.first) {
      bytes += entry.item.bytes;
      if (batch.length === limits.itemsPerBatch || (batch.length > 0 && bytes > limits.bytesPerBatch)) break;
      batch.push(entry.item);
      leave(entry);
    }
    return batch;
  }

  async function run(batch: readonly Waiter<T, R>[]): Promise<void> {
    underWay += 1;
    underWayItems += batch.length;
    const startedAt = now();
    lastStart = startedAt;
    lastItems = batch.length;
    try {
      const results = await o.process(batch.map(({ item }) => item));
      for (const [index, { end, resolve, reject }] of batch.entries()) {
        const result = results[index];
        if (result?.status === 'done') end(() => resolve(result.value));
        else end(() => reject(result?.error ?? new Error('The batch has no result for an item.')));
      }
    } catch (error) {
      for (const { end, reject } of batch) end(() => reject(error));
    }
    lastTookMs = now() - startedAt;
    underWay -= 1;
    underWayItems -= batch.length;
    schedule();
    settleIdle();
  }

  function settleIdle(): void {
    if (!isIdle()) return;
    for (const resolve of onIdle) resolve();
    onIdle = [];
  }

  const isIdle = (): boolean => underWay === 0 && waiting.size === 0;

  function restLeftMs(): number {
    const isFull = waiting.size >= limits.itemsPerBatch || waitingBytes >= limits.bytesPerBatch;
    if (isFull || onIdle.length > 0 || lastItems < afterItems) return 0;
    const periodMs = timesTaken === undefined ? restMs : Math.min(restMs, timesTaken * lastTookMs);
    return periodMs - (now() - lastStart);
  }

  function mayBegin(): boolean {
    if (waiting.size === 0) return false;
    if (underWay === 0) return restLeftMs() <= 0;
    const isFew = underWayItems + waiting.size <= fewItems;
    return underWay < limits.batches && (isFew || now() - lastStart >= limits.slowMs);
  }

  /** Looks again after the pause. */
  function awaitRest(): void {
    if (isResting || underWay > 0 || waiting.size === 0) return;
    isResting = true;
    timers.after(restLeftMs(), () => {
      isResting = false;
      schedule();
    });
  }

  /**
   * Starts a batch at the end of this turn, because its other items may come from other sockets, or from callers of
   * the last batch.
   */
  function schedule(): void {
    if (isScheduled) return;
    if (!mayBegin()) return awaitRest();
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (mayBegin()) void run(nextBatch());
      else awaitRest();
    });
  }

  return {
    add(item, { bytes = 0, signal, isUrgent = false } = {}) {
      if (signal?.aborted === true) return Promise.reject(asError(signal.reason));
      const isFull = waiting.size >= limits.waitingItems || waitingBytes + bytes > limits.waitingBytes;
      if (isFull && waiting.size > 0 && !isUrgent)
        return Promise.reject(overloaded('Too many calls wait for the database. Nothing was executed.'));
      return new Promise((resolve, reject) => {
        let isEnded = false;
        const end = (settle: () => void): void => {
          if (isEnded) return;
          isEnded = true;
          signal?.removeEventListener('abort', onAbort);
          settle();
        };
        const waiter: Waiter<T, R> = { item, bytes, end, resolve, reject };
        const onAbort = (): void => {
          leave(entry);
          settleIdle();
          end(() => reject(asError(signal?.reason)));
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        const entry = waiting.add(waiter);
        waitingBytes += bytes;
        schedule();
      });
    },
    drain() {
      if (isIdle()) return Promise.resolve();
      return new Promise((resolve) => {
        onIdle.push(resolve);
        schedule();
      });
    },
  };
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('The call was cancelled.', { cause: reason });
}
