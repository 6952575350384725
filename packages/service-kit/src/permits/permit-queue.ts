import { FairQueue } from '../collections/fair-queue.ts';
import type { QueueEntry } from '../collections/fair-queue.ts';

/** Limits of an account's running and waiting calls in this process. */
export interface PermitLimits {
  /** Running calls of an account. */
  readonly perAccount: number;
  /** Running calls of one partition of an account. */
  readonly perPartition: number;
  /** Waiting calls of an account. */
  readonly waiting: number;
  /** Memory of all waiting calls of an account. */
  readonly waitingBytes: number;
}

/** Limits of one partition that are lower than PermitLimits; equal for all calls of the partition. */
export interface PartitionLimits {
  readonly running: number;
  readonly waiting: number;
}

/** The limits of an account's waiting calls, equal everywhere. */
export const WAITING_LIMITS = {
  waiting: 200,
  waitingBytes: 16 * 1024 * 1024,
} satisfies Partial<PermitLimits>;

/** A call in the queue. */
export interface Waiter {
  readonly partition: string;
  readonly partitionLimits?: PartitionLimits | undefined;
  readonly heldBytes: number;
  /** Called once, when the call has a permit. It must not call the queue. */
  readonly start: () => void;
}

/** The permits of an account (or of all), and its waiting calls: in order within a partition, with partitions taking turns. */
export class PermitQueue<W extends Waiter = Waiter> {
  readonly #limits: PermitLimits;
  readonly #isHeld: (partition: string) => boolean;
  readonly #waiting = new FairQueue<W>();
  /** Running calls by partition; idle partitions have no entry. */
  readonly #runningOf = new Map<string, number>();
  #running = 0;

  /** The calls of a partition that `isHeld` wait; `wake` must be called when it no longer is. */
  constructor(limits: PermitLimits, isHeld: (partition: string) => boolean = () => false) {
    this.#limits = limits;
    this.#isHeld = isHeld;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting.size === 0;
  }

  /**
   * Takes a free permit, if there is one. No call is overtaken: while the partition has a free permit, none of its
   * calls wait.
   */
  take(partition: string, limits?: PartitionLimits): boolean {
    const running = this.#runningOf.get(partition) ?? 0;
    const perPartition = Math.min(this.#limits.perPartition, limits?.running ?? Infinity);
    if (this.#running >= this.#limits.perAccount || running >= perPartition || this.#isHeld(partition))
      return false;
    this.#runningOf.set(partition, running + 1);
    this.#running += 1;
    return true;
  }

  /** Enters the queue; undefined if it is full. */
  wait(waiter: W): QueueEntry<W> | undefined {
    const { partition, partitionLimits, heldBytes } = waiter;
    const isFull =
      this.#waiting.size >= this.#limits.waiting ||
      this.#waiting.bytes + heldBytes > this.#limits.waitingBytes ||
      (partitionLimits !== undefined && this.#waiting.sizeOf(partition) >= partitionLimits.waiting);
    return isFull ? undefined : this.#waiting.add(partition, waiter, heldBytes);
  }

  /** Leaves the queue without a permit. */
  leave(entry: QueueEntry<W>): void {
    this.#waiting.remove(entry);
  }

  /** Takes all calls out of the queue. */
  drain(): readonly W[] {
    return this.#waiting.drain();
  }

  /** Releases a permit, which starts the next call that may have it. */
  release(partition: string): void {
    const running = (this.#runningOf.get(partition) ?? 0) - 1;
    if (running > 0) this.#runningOf.set(partition, running);
    else this.#runningOf.delete(partition);
    this.#running -= 1;
    this.wake();
  }

  /**
   * Starts all calls that may start, because a partition is no longer held. Released permits are passed on at once,
   * so no call can overtake.
   */
  wake(): void {
    this.#waiting.offer((waiter) => {
      if (this.#running >= this.#limits.perAccount) return 'stop';
      if (!this.take(waiter.partition, waiter.partitionLimits)) return 'nextKey';
      waiter.start();
      return 'taken';
    });
  }
}
