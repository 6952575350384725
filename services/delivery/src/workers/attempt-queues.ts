import type { OpenAttempt } from '../domain/delivery.ts';
import type { MadeAttempt } from '../use-cases/make-attempt.ts';

type Queue = OpenAttempt['queue'];

/** Attempts of one process at once. Each may hold an event of 256 KiB, and a socket. */
export interface AttemptLimits {
  readonly total: number;
  /** Of `total`, those that are not first attempts. */
  readonly later: number;
  /** Of one destination that answers. */
  readonly perDestination: number;
  /** Claimed attempts that wait for others of their destination, for each that may run. */
  readonly aheadPerSlot: number;
  /** Claimed attempts that wait, or whose results are being written, of all destinations. */
  readonly waiting: number;
  /** Requests that begin in one second, of one destination. Default: no bound of their number. */
  readonly perSecond?: number | undefined;
}

/** The limits of production. */
export const ATTEMPT_LIMITS: AttemptLimits = {
  total: 256,
  later: 128,
  perDestination: 8,
  // What a destination takes that answers within some milliseconds, while others are recorded.
  aheadPerSlot: 24,
  waiting: 1_024,
};

/** Of a bounded number of requests, those of so many seconds are claimed at a time: they begin while their claims are young. */
const AHEAD_SECONDS = 5;

/** Slow destinations that are remembered while they have nothing to do. */
const MAX_REMEMBERED = 10_000;

/** Timeouts in a row after which a destination gets one attempt at a time. */
const TIMEOUTS_IN_A_ROW = 3;

interface Waiting<T> {
  readonly item: T;
  readonly queue: Queue;
}

interface Destination<T> {
  running: number;
  limit: number;
  timeouts: number;
  readonly waiting: Waiting<T>[];
  /** Attempts that are about to be claimed. */
  reserved: number;
}

/**
 * What one process has claimed: which attempts run, which wait for a slot, and how many are over but for their results. Destinations
 * take turns, a slow one has few slots, and first attempts have at least half of all. `run` makes an attempt; neither it nor
 * what it returns rejects.
 */
export class AttemptQueues<T> {
  readonly #limits: AttemptLimits;
  readonly #run: (item: T) => Promise<MadeAttempt>;
  readonly #onFree: (destinationId: string) => void;
  readonly #mayBegin: (destinationId: string) => boolean;
  /** Only those with something in it, or slow ones. */
  readonly #destinations = new Map<string, Destination<T>>();
  /** Destinations that wait for a slot of all: they take turns. */
  readonly #turns = new Set<string>();
  #running = 0;
  #laterRunning = 0;
  /** Waiting and running. */
  #later = 0;
  #held = 0;
  /** Their results are being written. */
  #ending = 0;
  readonly #underWay = new Set<Promise<void>>();

  /**
   * `onFree` is called when an attempt has ended, and its destination can take more. A destination for which `mayBegin` is false has
   * to wait until `resume`; default: none has.
   */
  constructor(o: {
    readonly limits: AttemptLimits;
    readonly run: (item: T) => Promise<MadeAttempt>;
    readonly onFree: (destinationId: string) => void;
    readonly mayBegin?: (destinationId: string) => boolean;
  }) {
    this.#limits = o.limits;
    this.#run = o.run;
    this.#onFree = o.onFree;
    this.#mayBegin = o.mayBegin ?? (() => true);
  }

  /** How many more attempts of a destination may be claimed now. */
  room(destinationId: string, queue: Queue): number {
    const { running, limit, waiting, reserved } = this.#destinations.get(destinationId) ?? this.#fresh();
    const { aheadPerSlot, total, later, waiting: most, perSecond = Number.POSITIVE_INFINITY } = this.#limits;
    const ahead = limit === 1 ? 0 : limit * aheadPerSlot;
    const claimed = running + waiting.length + reserved;
    const ofDestination = Math.min(limit + ahead, perSecond * AHEAD_SECONDS) - claimed;
    const ofAll = total + most - this.#running - this.#held - this.#ending;
    const ofKind = queue === 0 ? ofAll : later + most / 2 - this.#later;
    return Math.max(0, Math.min(ofDestination, ofAll, ofKind));
  }

  /** Keeps places for attempts that are about to be claimed; `room` says how many there may be. */
  reserve(destinationId: string, count: number): void {
    this.#of(destinationId).reserved += count;
    this.#held += count;
  }

  /** Gives places back: what was claimed for them is added after, or there is nothing. */
  unreserve(destinationId: string, count: number): void {
    this.#of(destinationId).reserved -= count;
    this.#held -= count;
    this.#forget(destinationId);
  }

  /** Runs a claimed attempt as soon as there is a slot. */
  add(destinationId: string, queue: Queue, item: T): void {
    this.#of(destinationId).waiting.push({ item, queue });
    this.#held += 1;
    if (queue === 1) this.#later += 1;
    this.#start(destinationId);
  }

  /** Takes out everything that has not begun. */
  takeWaiting(): readonly T[] {
    const taken: T[] = [];
    for (const { waiting } of this.#destinations.values())
      for (const { item, queue } of waiting.splice(0)) {
        taken.push(item);
        this.#held -= 1;
        if (queue === 1) this.#later -= 1;
      }
    return taken;
  }

  /** Begins attempts of a destination that had to wait. */
  resume(destinationId: string): void {
    this.#start(destinationId);
  }

  /** Resolves when what has begun is over. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #of(destinationId: string): Destination<T> {
    const known = this.#destinations.get(destinationId);
    if (known !== undefined) return known;
    const fresh = this.#fresh();
    this.#destinations.set(destinationId, fresh);
    return fresh;
  }

  #fresh(): Destination<T> {
    return { running: 0, limit: this.#limits.perDestination, timeouts: 0, waiting: [], reserved: 0 };
  }

  #start(destinationId: string): void {
    const destination = this.#destinations.get(destinationId);
    if (destination === undefined) return;
    while (destination.running < destination.limit) {
      const at = destination.waiting.findIndex(({ queue }) => this.#hasSlot(queue));
      if (at !== -1 && !this.#mayBegin(destinationId)) return;
      const [next] = at === -1 ? [] : destination.waiting.splice(at, 1);
      if (next === undefined) {
        if (destination.waiting.length > 0) this.#turns.add(destinationId);
        return;
      }
      this.#held -= 1;
      this.#running += 1;
      if (next.queue === 1) this.#laterRunning += 1;
      destination.running += 1;
      const work = this.#make(destinationId, destination, next);
      this.#underWay.add(work);
      void work.finally(() => this.#underWay.delete(work));
    }
  }

  async #make(destinationId: string, destination: Destination<T>, next: Waiting<T>): Promise<void> {
    const { isTimeout, written } = await this.#run(next.item);
    this.#ending += 1;
    this.#end(destinationId, destination, next.queue, isTimeout);
    await written;
    this.#ending -= 1;
  }

  #hasSlot(queue: Queue): boolean {
    if (this.#running >= this.#limits.total) return false;
    return queue === 0 || this.#laterRunning < this.#limits.later;
  }

  #end(destinationId: string, destination: Destination<T>, queue: Queue, isTimeout: boolean): void {
    this.#running -= 1;
    if (queue === 1) {
      this.#laterRunning -= 1;
      this.#later -= 1;
    }
    destination.running -= 1;
    destination.timeouts = isTimeout ? destination.timeouts + 1 : 0;
    if (destination.timeouts >= TIMEOUTS_IN_A_ROW) destination.limit = 1;
    else if (!isTimeout) destination.limit = Math.min(this.#limits.perDestination, destination.limit + 1);
    if (destination.waiting.length > 0) this.#turns.add(destinationId);
    const turns = [...this.#turns];
    for (const id of turns) {
      this.#turns.delete(id);
      this.#start(id);
      if (this.#running >= this.#limits.total) break;
    }
    this.#forget(destinationId);
    this.#onFree(destinationId);
  }

  #forget(destinationId: string): void {
    const known = this.#destinations.get(destinationId);
    if (known === undefined) return;
    const { running, waiting, reserved, limit } = known;
    const isUsual = limit === this.#limits.perDestination || this.#destinations.size > MAX_REMEMBERED;
    if (running + waiting.length + reserved === 0 && isUsual) this.#destinations.delete(destinationId);
  }
}
