import type { Delivery, OpenAttempt } from '../domain/delivery.ts';
import type { AttemptEnd, RequestTiming } from '../use-cases/make-attempt.ts';

type Queue = OpenAttempt['queue'];

/** Attempts of one process at once. Each may hold an event of 256 KiB, and a socket. */
export interface AttemptLimits {
  readonly total: number;
  /** The part of `total` that attempts after the first may use. */
  readonly later: number;
  /** Limit of one destination that answers. */
  readonly perDestination: number;
  /** Most claimed attempts that wait for others of their destination, for each that may run. */
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

/** So many attempts of a destination wait as it takes in this time, by how fast it has just answered. */
const AHEAD_MS = 500;

/** If requests per second are bounded, those of so many seconds are claimed at a time: they begin while their claims are young. */
const AHEAD_SECONDS = 5;

/** Destinations whose answers are remembered while they have nothing to do; of more, those for which this is longest are forgotten. */
const MAX_REMEMBERED = 10_000;

/** Timeouts in a row after which a destination gets one attempt at a time. */
const TIMEOUTS_IN_A_ROW = 3;

/** A destination of an account. */
export type Recipient = Pick<Delivery, 'accountId' | 'destinationId'>;

interface Waiting<T> {
  readonly item: T;
  readonly queue: Queue;
}

/** How much is in use, by all or by one account. */
interface Use {
  /** Places: of attempts that are about to be claimed, wait, run, or whose results are being written. */
  claimed: number;
  /** Places of attempts that are about to be claimed. */
  reserved: number;
  /** Attempts that are not first ones, waiting and running. */
  later: number;
  running: number;
  laterRunning: number;
}

interface Destination<T> extends Recipient {
  running: number;
  /** When an attempt of it has last begun or ended. */
  movedMs: number;
  limit: number;
  /** How many may wait beside those that run while it answers: none before it has. */
  ahead: number;
  timeouts: number;
  readonly waiting: Waiting<T>[];
  /** Attempts that are about to be claimed. */
  reserved: number;
}

/**
 * The claims of one process: which attempts run, which wait for a slot, and how many are over but for their results. Destinations
 * take turns, a slow one has few slots, and first attempts have at least half of all. Only attempts of a destination that answers fast
 * wait for it, or for a slot of its account. An account has no more slots and places than are free, so that some are left for others, however many
 * destinations of however many accounts hang. `run` makes an attempt; neither it nor what it returns rejects.
 *
 * Its turns are no FairQueue: that would offer each slot to every destination with waiting attempts, of which there may be a thousand that
 * wait for their own limit, while `#turns` has only destinations that the slot may help.
 */
export class AttemptQueues<T> {
  readonly #limits: AttemptLimits;
  readonly #run: (item: T) => Promise<AttemptEnd>;
  readonly #onFree: (recipient: Recipient) => void;
  readonly #mayBegin: (destinationId: string) => boolean;
  readonly #nowMs: () => number;
  /** Only destinations that have attempts here, or that have answered. */
  readonly #destinations = new Map<string, Destination<T>>();
  /** Only accounts that use slots or places. */
  readonly #accounts = new Map<string, Use>();
  /** Destinations that wait for a slot of all, or of their account: they take turns. */
  readonly #turns = new Set<string>();
  readonly #all = unused();
  /** Attempts whose results are not written yet. */
  #underWay = 0;
  #onIdle: (() => void)[] = [];

  /**
   * `onFree` is called when an attempt has ended, and its destination can take more. A destination for which `mayBegin` is false has
   * to wait until `resume`; default: none has. `nowMs` is for tests.
   */
  constructor(o: {
    readonly limits: AttemptLimits;
    readonly run: (item: T) => Promise<AttemptEnd>;
    readonly onFree: (recipient: Recipient) => void;
    readonly mayBegin?: (destinationId: string) => boolean;
    readonly nowMs?: () => number;
  }) {
    this.#limits = o.limits;
    this.#run = o.run;
    this.#onFree = o.onFree;
    this.#mayBegin = o.mayBegin ?? (() => true);
    this.#nowMs = o.nowMs ?? (() => performance.now());
  }

  /** How many more attempts of a destination may be claimed now. */
  room(recipient: Recipient, queue: Queue): number {
    const destination = this.#destinations.get(recipient.destinationId) ?? this.#fresh(recipient);
    const { running, limit, waiting, reserved } = destination;
    const ahead = this.#isStuck(destination) ? 0 : destination.ahead;
    const ofAccount = this.#useOf(recipient);
    const { total, later, waiting: most, perSecond = Number.POSITIVE_INFINITY } = this.#limits;
    const claimed = running + waiting.length + reserved;
    const ofDestination = Math.min(limit + ahead, perSecond * AHEAD_SECONDS) - claimed;
    const ofAll = shareOf(total + most - this.#all.claimed, ofAccount.claimed);
    const ofKind = queue === 0 ? ofAll : shareOf(later + most / 2 - this.#all.later, ofAccount.later);
    // A destination that does not answer fast frees no slot soon: its attempts would wait until their claims are too old to begin.
    const ofSlots = ahead > 0 ? ofAll : this.#freeSlots(ofAccount);
    return Math.max(0, Math.min(ofDestination, ofAll, ofKind, ofSlots));
  }

  /** Keeps places for attempts that are about to be claimed; `room` says how many there may be. */
  reserve(recipient: Recipient, count: number): void {
    const destination = this.#of(recipient);
    destination.reserved += count;
    this.#use(destination, { claimed: count, reserved: count });
  }

  /** Gives places back: what was claimed for them is added after, or there is nothing. */
  unreserve(recipient: Recipient, count: number): void {
    const destination = this.#of(recipient);
    destination.reserved -= count;
    this.#use(destination, { claimed: -count, reserved: -count });
    this.#rest(destination);
  }

  /** Runs a claimed attempt as soon as there is a slot. */
  add(recipient: Recipient, queue: Queue, item: T): void {
    const destination = this.#of(recipient);
    destination.waiting.push({ item, queue });
    this.#use(destination, { claimed: 1, later: queue });
    this.#start(destination);
  }

  /** Takes out everything that has not begun. */
  takeWaiting(): readonly T[] {
    const taken: T[] = [];
    for (const destination of this.#destinations.values())
      for (const { item, queue } of destination.waiting.splice(0)) {
        taken.push(item);
        this.#use(destination, { claimed: -1, later: -queue });
      }
    return taken;
  }

  /** Begins attempts of a destination that had to wait. */
  resume(destinationId: string): void {
    const destination = this.#destinations.get(destinationId);
    if (destination !== undefined) this.#start(destination);
  }

  /** Resolves when what has begun is over. */
  async idle(): Promise<void> {
    while (this.#underWay > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  #of(recipient: Recipient): Destination<T> {
    const known = this.#destinations.get(recipient.destinationId);
    if (known !== undefined) return known;
    const fresh = this.#fresh(recipient);
    this.#destinations.set(fresh.destinationId, fresh);
    return fresh;
  }

  #fresh({ accountId, destinationId }: Recipient): Destination<T> {
    return {
      accountId,
      destinationId,
      running: 0,
      movedMs: 0,
      limit: this.#limits.perDestination,
      ahead: 0,
      timeouts: 0,
      waiting: [],
      reserved: 0,
    };
  }

  /** It has had all its slots, or its account has, for so long already that the attempts which wait would have ended. */
  #isStuck({ running, limit, waiting, movedMs }: Destination<T>): boolean {
    return (running >= limit || waiting.length > 0) && this.#nowMs() - movedMs > AHEAD_MS;
  }

  #useOf({ accountId }: Pick<Recipient, 'accountId'>): Use {
    return this.#accounts.get(accountId) ?? unused();
  }

  #use({ accountId }: Destination<T>, change: Partial<Use>): void {
    const ofAccount = this.#useOf({ accountId });
    for (const use of [this.#all, ofAccount]) {
      use.claimed += change.claimed ?? 0;
      use.reserved += change.reserved ?? 0;
      use.later += change.later ?? 0;
      use.running += change.running ?? 0;
      use.laterRunning += change.laterRunning ?? 0;
    }
    if (ofAccount.claimed === 0) this.#accounts.delete(accountId);
    else this.#accounts.set(accountId, ofAccount);
  }

  /** Slots that an account may take now, beside those that its reserved places will need. */
  #freeSlots(ofAccount: Use): number {
    const free = this.#limits.total - this.#all.running - this.#all.reserved;
    return shareOf(free, ofAccount.running + ofAccount.reserved);
  }

  #start(destination: Destination<T>): void {
    while (destination.running < destination.limit) {
      const at = destination.waiting.findIndex(({ queue }) => this.#hasSlot(destination, queue));
      if (at !== -1 && !this.#mayBegin(destination.destinationId)) return;
      const [next] = at === -1 ? [] : destination.waiting.splice(at, 1);
      if (next === undefined) {
        if (destination.waiting.length > 0) this.#turns.add(destination.destinationId);
        return;
      }
      this.#use(destination, { running: 1, laterRunning: next.queue });
      destination.running += 1;
      destination.movedMs = this.#nowMs();
      this.#underWay += 1;
      void this.#make(destination, next).finally(() => this.#settled());
    }
  }

  async #make(destination: Destination<T>, { item, queue }: Waiting<T>): Promise<void> {
    const { request, written } = await this.#run(item);
    this.#use(destination, { running: -1, later: -queue, laterRunning: -queue });
    destination.running -= 1;
    destination.movedMs = this.#nowMs();
    if (request !== undefined) this.#learn(destination, request);
    this.#goOn(destination);
    await written;
    this.#use(destination, { claimed: -1 });
  }

  #settled(): void {
    this.#underWay -= 1;
    if (this.#underWay > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #hasSlot(destination: Destination<T>, queue: Queue): boolean {
    const { total, later } = this.#limits;
    const ofAccount = this.#useOf(destination);
    if (ofAccount.running >= total - this.#all.running) return false;
    return queue === 0 || ofAccount.laterRunning < later - this.#all.laterRunning;
  }

  /** How a destination has answered says how many attempts it gets at once, and how many wait for it. */
  #learn(destination: Destination<T>, { isTimeout, durationMs }: RequestTiming): void {
    const { perDestination, aheadPerSlot } = this.#limits;
    destination.timeouts = isTimeout ? destination.timeouts + 1 : 0;
    if (destination.timeouts >= TIMEOUTS_IN_A_ROW) destination.limit = 1;
    else if (!isTimeout) destination.limit = Math.min(perDestination, destination.limit + 1);
    const { limit, ahead } = destination;
    const perSlot = isTimeout ? 0 : Math.min(aheadPerSlot, AHEAD_MS / durationMs);
    destination.ahead = Math.min(ahead + limit, Math.floor(limit * perSlot));
  }

  #goOn(ended: Destination<T>): void {
    if (ended.waiting.length > 0) this.#turns.add(ended.destinationId);
    const turns = [...this.#turns];
    for (const id of turns) {
      const next = this.#destinations.get(id);
      // Where its account has no slot, it keeps its turn.
      if (next !== undefined && !this.#hasSlot(next, 0)) continue;
      this.#turns.delete(id);
      if (next !== undefined) this.#start(next);
      if (this.#all.running >= this.#limits.total) break;
    }
    this.#rest(ended);
    this.#onFree(ended);
  }

  /** An idle destination is kept only for the limits that its answers have set: its next attempts come in a moment, as many at once as before. */
  #rest(destination: Destination<T>): void {
    if (!isIdle(destination)) return;
    const { destinationId, limit, ahead } = destination;
    this.#destinations.delete(destinationId);
    if (limit === this.#limits.perDestination && ahead === 0) return;
    this.#destinations.set(destinationId, destination);
    if (this.#destinations.size <= MAX_REMEMBERED) return;
    for (const [id, each] of this.#destinations)
      if (isIdle(each)) {
        this.#destinations.delete(id);
        return;
      }
  }
}

function isIdle({ running, waiting, reserved }: Destination<unknown>): boolean {
  return running + waiting.length + reserved === 0;
}

function unused(): Use {
  return { claimed: 0, reserved: 0, later: 0, running: 0, laterRunning: 0 };
}

/** How much more an account may have that uses so much: at most as much as is free then. */
function shareOf(free: number, used: number): number {
  return Math.ceil((free - used) / 2);
}
