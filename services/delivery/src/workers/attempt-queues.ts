import type { Delivery, OpenAttempt } from '../domain/delivery.ts';
import type { AttemptEnd, RequestTiming } from '../use-cases/perform-attempt.ts';

type Queue = OpenAttempt['queue'];

/** Concurrent attempts of one process. Each may have an event of 256 KiB, and a socket. */
export interface AttemptLimits {
  readonly total: number;
  /** Share of `total` that retries may use. */
  readonly later: number;
  /** Limit per answering destination. */
  readonly perDestination: number;
  /** Maximum number of claimed attempts that wait for a destination, per attempt that may run. */
  readonly aheadPerPermit: number;
  /** Maximum number of claimed attempts of all destinations that wait, or whose results are being written. */
  readonly waiting: number;
  /** Requests per second that may begin, per destination. Default: unlimited. */
  readonly perSecond?: number | undefined;
}

/** The limits of production. */
export const ATTEMPT_LIMITS: AttemptLimits = {
  total: 256,
  later: 128,
  perDestination: 8,
  // Enough for a destination that answers within milliseconds, while results of others are written.
  aheadPerPermit: 24,
  waiting: 1_024,
};

/** A destination's attempts wait up to the number that it takes in this time, at its last speed. */
const AHEAD_MS = 500;

/**
 * With a limit of requests per second, attempts for this many seconds are claimed at a time, so that they begin while their claims are
 * young.
 */
const AHEAD_SECONDS = 5;

/** Maximum number of idle destinations whose speed is remembered; the longest idle is forgotten first. */
const MAX_REMEMBERED = 10_000;

/** Consecutive timeouts after which a destination gets one attempt at a time. */
const TIMEOUTS_IN_A_ROW = 3;

export type Recipient = Pick<Delivery, 'accountId' | 'destinationId'>;

interface Waiting<T> {
  readonly item: T;
  readonly queue: Queue;
}

/** Usage by all or by one account. */
interface Use {
  /** Places: attempts that are about to be claimed, wait, run, or whose results are being written. */
  claimed: number;
  /** Reserved places, for attempts that are about to be claimed. */
  reserved: number;
  /** Retries, waiting and running. */
  later: number;
  running: number;
  laterRunning: number;
}

interface Destination<T> extends Recipient {
  running: number;
  /** When one of its attempts last began or ended. */
  movedMs: number;
  limit: number;
  /** How many attempts may wait besides the running ones: none before it has answered. */
  ahead: number;
  timeouts: number;
  readonly waiting: Waiting<T>[];
  /** Attempts that are about to be claimed. */
  reserved: number;
}

/**
 * The claimed attempts of one process: running, waiting for a permit, and ended but unwritten ones. Destinations take turns, slow ones have
 * few permits, and first attempts have at least half of all permits. Attempts wait for a permit of their destination or account only if the
 * destination answers fast. An account never has more permits and places than are free, so that some are left for others, however many
 * destinations hang. `run` makes an attempt; neither it nor its result rejects. This is not a FairQueue, which would offer each permit to
 * every destination with waiting attempts, of which a thousand may wait for their own limit; `#turns` has only destinations that can use
 * the permit.
 */
export class AttemptQueues<T> {
  readonly #limits: AttemptLimits;
  readonly #run: (item: T) => Promise<AttemptEnd>;
  readonly #onFree: (recipient: Recipient) => void;
  readonly #mayBegin: (destinationId: string) => boolean;
  readonly #nowMs: () => number;
  /** Only destinations that have attempts here, or have answered. */
  readonly #destinations = new Map<string, Destination<T>>();
  /** Only accounts that use permits or places. */
  readonly #accounts = new Map<string, Use>();
  /** Destinations that wait for a permit, of all or of their account; they take turns. */
  readonly #turns = new Set<string>();
  readonly #all = unused();
  /** Attempts whose results are not written yet. */
  #underWay = 0;
  #onIdle: (() => void)[] = [];

  /**
   * `onFree` is called when an attempt has ended and its destination can take more. A destination for which `mayBegin` is false waits until
   * `resume`; default: none does. `nowMs` is for tests.
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
    // A slow destination frees no permit soon: its attempts would wait until their claims are too old.
    const ofPermits = ahead > 0 ? ofAll : this.#freePermits(ofAccount);
    return Math.max(0, Math.min(ofDestination, ofAll, ofKind, ofPermits));
  }

  /** Reserves places for attempts that are about to be claimed; `room` says how many are possible. */
  reserve(recipient: Recipient, count: number): void {
    const destination = this.#of(recipient);
    destination.reserved += count;
    this.#use(destination, { claimed: count, reserved: count });
  }

  /** Releases reserved places; the claimed attempts are added afterwards. */
  unreserve(recipient: Recipient, count: number): void {
    const destination = this.#of(recipient);
    destination.reserved -= count;
    this.#use(destination, { claimed: -count, reserved: -count });
    this.#rest(destination);
  }

  /** Runs a claimed attempt as soon as there is a permit. */
  add(recipient: Recipient, queue: Queue, item: T): void {
    const destination = this.#of(recipient);
    destination.waiting.push({ item, queue });
    this.#use(destination, { claimed: 1, later: queue });
    this.#start(destination);
  }

  /** Removes and returns all attempts that have not begun. */
  takeWaiting(): readonly T[] {
    const taken: T[] = [];
    for (const destination of this.#destinations.values())
      for (const { item, queue } of destination.waiting.splice(0)) {
        taken.push(item);
        this.#use(destination, { claimed: -1, later: -queue });
      }
    return taken;
  }

  /** Begins attempts of a destination that was paused. */
  resume(destinationId: string): void {
    const destination = this.#destinations.get(destinationId);
    if (destination !== undefined) this.#start(destination);
  }

  /** Resolves when all started attempts have ended. */
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

  /** Whether the destination or its account has used all its permits for so long that waiting attempts are unlikely to begin in time. */
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

  /** Permits that an account may take now, apart from those that its reserved places will need. */
  #freePermits(ofAccount: Use): number {
    const free = this.#limits.total - this.#all.running - this.#all.reserved;
    return shareOf(free, ofAccount.running + ofAccount.reserved);
  }

  #start(destination: Destination<T>): void {
    while (destination.running < destination.limit) {
      const at = destination.waiting.findIndex(({ queue }) => this.#hasPermit(destination, queue));
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

  #hasPermit(destination: Destination<T>, queue: Queue): boolean {
    const { total, later } = this.#limits;
    const ofAccount = this.#useOf(destination);
    if (ofAccount.running >= total - this.#all.running) return false;
    return queue === 0 || ofAccount.laterRunning < later - this.#all.laterRunning;
  }

  /** Adapts the destination's limits, running and waiting, to how it has answered. */
  #learn(destination: Destination<T>, { isTimeout, durationMs }: RequestTiming): void {
    const { perDestination, aheadPerPermit } = this.#limits;
    destination.timeouts = isTimeout ? destination.timeouts + 1 : 0;
    if (destination.timeouts >= TIMEOUTS_IN_A_ROW) destination.limit = 1;
    else if (!isTimeout) destination.limit = Math.min(perDestination, destination.limit + 1);
    const { limit, ahead } = destination;
    const perPermit = isTimeout ? 0 : Math.min(aheadPerPermit, AHEAD_MS / durationMs);
    destination.ahead = Math.min(ahead + limit, Math.floor(limit * perPermit));
  }

  #goOn(ended: Destination<T>): void {
    if (ended.waiting.length > 0) this.#turns.add(ended.destinationId);
    const turns = [...this.#turns];
    for (const id of turns) {
      const next = this.#destinations.get(id);
      // If its account has no permit, it keeps its turn.
      if (next !== undefined && !this.#hasPermit(next, 0)) continue;
      this.#turns.delete(id);
      if (next !== undefined) this.#start(next);
      if (this.#all.running >= this.#limits.total) break;
    }
    this.#rest(ended);
    this.#onFree(ended);
  }

  /** An idle destination is kept only for its learned limits: its next attempts arrive in a moment, as many at once as before. */
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

/** How much more an account may use: afterwards it uses at most as much as is still free. */
function shareOf(free: number, used: number): number {
  return Math.ceil((free - used) / 2);
}
