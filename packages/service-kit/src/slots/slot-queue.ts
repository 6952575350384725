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
  /** Called once, when it has a slot and is no longer in the queue. */
  readonly start: () => void;
}

interface Lane {
  running: number;
  /** In the order of arrival. */
  readonly waiting: Set<Waiter>;
}

/** The slots of one account, and the calls that wait for one. */
export class SlotQueue {
  readonly #limits: SlotLimits;
  readonly #lanes = new Map<string, Lane>();
  /** Those with waiting calls, in the order in which they have their turn. */
  readonly #turns = new Set<string>();
  readonly #isHeld: (lane: string) => boolean;
  #running = 0;
  #waiting = 0;
  #waitingBytes = 0;

  /** The calls of a lane that `isHeld` wait; `wake` follows when it no longer is. */
  constructor(limits: SlotLimits, isHeld: (lane: string) => boolean = () => false) {
    this.#limits = limits;
    this.#isHeld = isHeld;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting === 0;
  }

  /** Takes a slot if one is free. Nobody is overtaken: while the lane can take a slot, none of its calls wait. */
  take(name: string, limits?: LaneLimits): boolean {
    if (this.#isHeld(name) || !this.#isFree(this.#lanes.get(name)?.running ?? 0, limits)) return false;
    this.#start(this.#lane(name));
    return true;
  }

  /** Enters the queue; false if it is full. */
  wait(waiter: Waiter): boolean {
    const { lane, laneLimits } = waiter;
    if (this.#waiting >= this.#limits.waiting) return false;
    if (laneLimits !== undefined && (this.#lanes.get(lane)?.waiting.size ?? 0) >= laneLimits.waiting)
      return false;
    if (this.#waitingBytes + waiter.heldBytes > this.#limits.waitingBytes) return false;
    this.#lane(lane).waiting.add(waiter);
    this.#turns.add(lane);
    this.#count(waiter, 1);
    return true;
  }

  /** Leaves the queue without a slot. */
  leave(waiter: Waiter): void {
    const lane = this.#lane(waiter.lane);
    if (!lane.waiting.delete(waiter)) return;
    this.#count(waiter, -1);
    this.#tidy(waiter.lane, lane);
  }

  /** Gives a slot back, which starts the next call that may have it. */
  release(name: string): void {
    const freed = this.#lane(name);
    freed.running -= 1;
    this.#running -= 1;
    this.#startNext();
    this.#tidy(name, freed);
  }

  /** Starts all calls that may start, because a lane is no longer held. */
  wake(): void {
    while (this.#startNext());
  }

  /** Whether there was one that may start. */
  #startNext(): boolean {
    for (const name of this.#turns) {
      const lane = this.#lane(name);
      const [next] = lane.waiting;
      if (next === undefined || this.#isHeld(name) || !this.#isFree(lane.running, next.laneLimits)) continue;
      lane.waiting.delete(next);
      this.#count(next, -1);
      // Its next call comes after those of the other lanes.
      this.#turns.delete(name);
      if (lane.waiting.size > 0) this.#turns.add(name);
      // The slot passes on without being free in between, so that no call can overtake.
      this.#start(lane);
      next.start();
      return true;
    }
    return false;
  }

  #isFree(runningInLane: number, lane?: LaneLimits): boolean {
    const perLane = Math.min(this.#limits.perLane, lane?.running ?? Infinity);
    return this.#running < this.#limits.perAccount && runningInLane < perLane;
  }

  #start(lane: Lane): void {
    lane.running += 1;
    this.#running += 1;
  }

  #count(waiter: Waiter, sign: 1 | -1): void {
    this.#waiting += sign;
    this.#waitingBytes += sign * waiter.heldBytes;
  }

  #lane(name: string): Lane {
    let lane = this.#lanes.get(name);
    if (lane === undefined) this.#lanes.set(name, (lane = { running: 0, waiting: new Set() }));
    return lane;
  }

  #tidy(name: string, lane: Lane): void {
    if (lane.waiting.size > 0) return;
    this.#turns.delete(name);
    if (lane.running === 0) this.#lanes.delete(name);
  }
}
