import { FairQueue } from '../collections/fair-queue.ts';
import type { QueueEntry } from '../collections/fair-queue.ts';

/** How much one account may have in progress, and waiting, in this process. */
export interface SlotLimits {
  /** Calls of an account that run at once. */
  readonly perAccount: number;
  /** Calls of one lane of an account that run at once. */
  readonly perLane: number;
  /** Calls of an account that wait. */
  readonly waiting: number;
  /** Memory that the waiting calls of an account hold together. */
  readonly waitingBytes: number;
}

/** How much of one lane runs and waits, where that is less than what SlotLimits allow; the same for all calls of the lane. */
export interface LaneLimits {
  readonly running: number;
  readonly waiting: number;
}

/** How much of an account may wait, everywhere. */
export const WAITING_LIMITS = { waiting: 200, waitingBytes: 16 * 1024 * 1024 } satisfies Partial<SlotLimits>;

/** A call in the queue. */
export interface Waiter {
  readonly lane: string;
  readonly laneLimits?: LaneLimits | undefined;
  readonly heldBytes: number;
  /** Called once, when it has a slot; it does not call the queue. */
  readonly start: () => void;
}

/** The slots of one account, or of all, and the calls that wait for one: in order within a lane, the lanes in turn. */
export class SlotQueue<W extends Waiter = Waiter> {
  readonly #limits: SlotLimits;
  readonly #isHeld: (lane: string) => boolean;
  readonly #waiting = new FairQueue<W>();
  /** Running calls by lane; an idle lane has no entry. */
  readonly #runningOf = new Map<string, number>();
  #running = 0;

  /** The calls of a lane that `isHeld` wait; `wake` follows when it no longer is. */
  constructor(limits: SlotLimits, isHeld: (lane: string) => boolean = () => false) {
    this.#limits = limits;
    this.#isHeld = isHeld;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting.size === 0;
  }

  /** Takes a slot if one is free. Nobody is overtaken: while the lane can take a slot, none of its calls wait. */
  take(lane: string, limits?: LaneLimits): boolean {
    const running = this.#runningOf.get(lane) ?? 0;
    const perLane = Math.min(this.#limits.perLane, limits?.running ?? Infinity);
    if (this.#running >= this.#limits.perAccount || running >= perLane || this.#isHeld(lane)) return false;
    this.#runningOf.set(lane, running + 1);
    this.#running += 1;
    return true;
  }

  /** Enters the queue; undefined if it is full. */
  wait(waiter: W): QueueEntry<W> | undefined {
    const { lane, laneLimits, heldBytes } = waiter;
    const isFull =
      this.#waiting.size >= this.#limits.waiting ||
      this.#waiting.bytes + heldBytes > this.#limits.waitingBytes ||
      (laneLimits !== undefined && this.#waiting.sizeOf(lane) >= laneLimits.waiting);
    return isFull ? undefined : this.#waiting.add(lane, waiter, heldBytes);
  }

  /** Leaves the queue without a slot. */
  leave(entry: QueueEntry<W>): void {
    this.#waiting.remove(entry);
  }

  /** Takes all calls out of the queue. */
  drain(): readonly W[] {
    return this.#waiting.drain();
  }

  /** Gives a slot back, which starts the next call that may have it. */
  release(lane: string): void {
    const running = (this.#runningOf.get(lane) ?? 0) - 1;
    if (running > 0) this.#runningOf.set(lane, running);
    else this.#runningOf.delete(lane);
    this.#running -= 1;
    this.wake();
  }

  /** Starts all calls that may start, because a lane is no longer held. A slot passes on at once, so that no call can overtake. */
  wake(): void {
    this.#waiting.offer((waiter) => {
      if (this.#running >= this.#limits.perAccount) return 'stop';
      if (!this.take(waiter.lane, waiter.laneLimits)) return 'nextKey';
      waiter.start();
      return 'taken';
    });
  }
}
