import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { Lease } from './domain/lease.ts';
import type { LeaseOrder, LeaseStatus } from './domain/lease.ts';
import type { StoreHealth } from './domain/store-health.ts';
import { grantOf } from './domain/window-store.ts';
import type { Grant, SharedBudget, Window, WindowStore } from './domain/window-store.ts';
import { SECOND_MS, windowStart } from './domain/windows.ts';
import { recordFailed, recordReturned, recordTaken } from './metrics.ts';
import { answerOf } from './store-answer.ts';
import type { Timers } from './timers.ts';

/** What every desk of a replica works with. */
export interface DeskDeps {
  readonly store: WindowStore;
  readonly health: StoreHealth;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}

/** What one failure may lose. */
const MOST_RETURNS = 500;

/** Part of a lease on its way back; `settle` says whether it arrived. */
interface GivingBack {
  readonly window: Window;
  readonly amount: number;
  readonly settle: (isDone: boolean) => void;
}

/** Where one account gets the calls of one hourly budget: a lease, and one question to the store at a time. */
export class LeaseDesk {
  readonly lease = new Lease();
  /** Calls that wait for a grant. */
  waiting = 0;
  readonly #accountId: string;
  readonly #budget: SharedBudget;
  readonly #deps: DeskDeps;
  /** The question that is asked; it never rejects. */
  #asking: Promise<void> | undefined;
  #checkedIn = 0;
  #offeredIn = 0;

  constructor(accountId: string, budget: SharedBudget, deps: DeskDeps) {
    this.#accountId = accountId;
    this.#budget = budget;
    this.#deps = deps;
  }

  /** Whether nothing would be lost with it. */
  get isIdle(): boolean {
    return this.lease.unspent === 0 && this.isQuiet;
  }

  /** Whether nothing is asked and nobody waits, here or for another budget of the same call. */
  get isQuiet(): boolean {
    return this.#asking === undefined && this.waiting === 0;
  }

  /** Resolves when what is asked now is answered. */
  async asked(): Promise<void> {
    await this.#asking;
  }

  /** The lease's word; who would ask anew whether a full hour is still full does so alone, the others go by memory. */
  status(limit: number, now: number): LeaseStatus {
    const status = this.lease.status(limit, now);
    const isAsked = this.#asking !== undefined || this.#deps.health.isAway(now);
    return status === 'stale' && isAsked ? 'full' : status;
  }

  /** Whether a question would not even be asked. */
  isClosed(now: number): boolean {
    return this.#asking === undefined && this.#deps.health.isAway(now);
  }

  /**
   * Whether it is certain that the account has calls of the hour left, here or in the store. What the store said counts if
   * it was asked for a call that was refused in this second: nobody is let in from then on until the second ends.
   */
  hasLeft(limit: number, now: number): boolean {
    if (this.lease.status(limit, now) === 'ready') return true;
    const isChecked = this.#checkedIn === windowStart(now, SECOND_MS) && this.#asking === undefined;
    return isChecked && !this.lease.isStoreEmpty(limit);
  }

  /** Asks for those who wait, `room` at most, and for calls to come; where a question is asked already, that is it. */
  ask(limit: number, room: number, now: number): Promise<void> {
    if (this.#asking !== undefined) return this.#asking;
    if (room === 0) this.#checkedIn = windowStart(now, SECOND_MS);
    const demand = Math.max(0, Math.min(this.waiting, room));
    return this.#exchange({ limit, demand, extra: this.lease.shortage(limit, now) }, now);
  }

  /** Provides for those who wait, `room` at most, and for calls to come, before the lease runs out. */
  provide(limit: number, room: number, now: number): void {
    if (this.#asking !== undefined || this.#deps.health.isAway(now)) return;
    const { unspent } = this.lease;
    const demand = Math.max(0, Math.min(this.waiting, room) - unspent);
    const extra = this.lease.shortage(limit, now);
    // What the store would refuse anyway is not asked for.
    if (grantOf(this.lease.left(limit, now) - unspent, { demand, extra }) === 0) return;
    void this.#exchange({ limit, demand, extra }, now);
  }

  /**
   * Makes sure that a refused call finds something at whichever replica it comes to next: where the store has nothing
   * left, what is held here goes back. Once a second at most.
   */
  offer(limit: number, now: number): void {
    const second = windowStart(now, SECOND_MS);
    if (this.#offeredIn === second || this.lease.unspent === 0) return;
    this.#offeredIn = second;
    void this.#offer(limit);
  }

  async #offer(limit: number): Promise<void> {
    const { clock, health } = this.#deps;
    while (this.#asking !== undefined) await this.#asking;
    const now = clock.now().getTime();
    if (health.isAway(now)) return;
    await this.#exchange({ limit, demand: 0, extra: 0 }, now);
    const returned = (): number => (this.lease.isStoreEmpty(limit) ? this.lease.unspent : 0);
    await giveBackOf([this], returned, this.#deps);
  }

  /** Takes `amount` out, to be given back together with others'; undefined where there is nothing or a question is asked. */
  surrender(amount: number): GivingBack | undefined {
    if (amount === 0 || this.#asking !== undefined) return undefined;
    const window = this.#window();
    const surrendered = this.lease.surrender(amount);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#asking = promise;
    return {
      window,
      amount,
      settle: (isDone) => {
        if (isDone) recordReturned(this.#budget, amount);
        else {
          recordFailed(this.#budget, amount);
          this.lease.failed(surrendered);
        }
        this.#asking = undefined;
        resolve();
      },
    };
  }

  #window(): Window {
    return { accountId: this.#accountId, budget: this.#budget, startsAt: this.lease.hour };
  }

  #exchange(o: { limit: number; demand: number; extra: number }, now: number): Promise<void> {
    const order = this.lease.order(o, now);
    this.#asking = this.#answered(order, this.#deps.store.exchange(this.#window(), order));
    return this.#asking;
  }

  async #answered(order: LeaseOrder, grants: Promise<Grant>): Promise<void> {
    // Also what is granted late is noted: those calls are this replica's.
    const noted = grants.then((grant) => this.#note(order, grant));
    if (!(await withStore(noted, this.#deps))) {
      recordFailed(this.#budget, order.returned);
      this.lease.failed(order);
    }
    this.#asking = undefined;
  }

  #note(order: LeaseOrder, grant: Grant): void {
    recordTaken(this.#budget, grant.granted);
    this.lease.answered(order, grant, this.#deps.clock.now().getTime());
  }
}

/** Gives what `surplus` says of each desk back, many at once, while the store answers. */
export async function giveBackOf(
  desks: readonly LeaseDesk[],
  surplus: (desk: LeaseDesk) => number,
  deps: DeskDeps,
): Promise<void> {
  const candidates = desks.filter((desk) => surplus(desk) > 0);
  for (let at = 0; at < candidates.length && !deps.health.isFailing; at += MOST_RETURNS) {
    const batch = candidates.slice(at, at + MOST_RETURNS);
    // Only now are they taken out: while the store is away leases are needed.
    await giveBack(
      batch.map((desk) => desk.surrender(surplus(desk))).filter((it) => it !== undefined),
      deps,
    );
  }
}

async function giveBack(givings: readonly GivingBack[], deps: DeskDeps): Promise<void> {
  if (givings.length === 0) return;
  const isDone = await withStore(deps.store.giveBack(givings), deps);
  for (const giving of givings) giving.settle(isDone);
}

/** Waits for the store and notes whether it answers. Never rejects. */
async function withStore<T>(asked: Promise<T>, { health, clock, timers, log }: DeskDeps): Promise<boolean> {
  health.tried();
  const answer = await answerOf(asked, timers);
  if (answer.isAnswered) {
    if (health.succeeded()) log.info('rate budgets are leased again');
  } else if (health.failed(clock.now().getTime())) {
    log.warn({ err: answer.error }, 'rate budgets cannot be leased; calls are let in while leases last');
  }
  return answer.isAnswered;
}
