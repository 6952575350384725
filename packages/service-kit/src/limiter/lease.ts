import type { Clock } from '../clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Timers } from '../timers.ts';
import { LeaseState } from './lease-state.ts';
import type { LeaseOrder, LeaseStatus } from './lease-state.ts';
import { recordFailed, recordReturned, recordTaken } from './metrics.ts';
import { answerOf } from './store-answer.ts';
import type { StoreHealth } from './store-health.ts';
import { grantOf } from './window-store.ts';
import type { Grant, Window, WindowStore } from './window-store.ts';
import { SECOND_MS, windowStart } from './windows.ts';

/** What all leases of a replica work with. */
export interface LeaseDeps {
  readonly store: WindowStore;
  readonly health: StoreHealth;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}

/** Leases that one failed write may lose. */
const MAX_RETURNS = 500;

/** Part of a lease on its way back; `settle` says whether it arrived. */
interface Return {
  readonly window: Window;
  readonly amount: number;
  readonly settle: (isDone: boolean) => void;
}

/** The lease of one key under one hourly limit, with at most one request to the store at a time. */
export class Lease {
  /** What is held. */
  readonly state = new LeaseState();
  /** Calls that wait for a grant. */
  waiting = 0;
  readonly name: string;
  readonly #key: string;
  readonly #deps: LeaseDeps;
  /** The request that is under way; it never rejects. */
  #request: Promise<void> | undefined;
  #checkedIn = 0;
  #offeredIn = 0;

  constructor(key: string, name: string, deps: LeaseDeps) {
    this.#key = key;
    this.name = name;
    this.#deps = deps;
  }

  /** Whether nothing would be lost with it. */
  get isIdle(): boolean {
    return this.state.unspent === 0 && this.isQuiet;
  }

  /** Whether no request is under way and no call waits, here or for another limit of the same call. */
  get isQuiet(): boolean {
    return this.#request === undefined && this.waiting === 0;
  }

  /** Resolves when the request that is under way is answered. */
  async settled(): Promise<void> {
    await this.#request;
  }

  /** The state's status. Only one call asks again whether a full hour is still full; the others see it as full. */
  status(limit: number, now: number): LeaseStatus {
    const status = this.state.status(limit, now);
    const isAsked = this.#request !== undefined || this.#deps.health.isOpen(now);
    return status === 'stale' && isAsked ? 'full' : status;
  }

  /** Whether no request may be sent. */
  isUnavailable(now: number): boolean {
    return this.#request === undefined && this.#deps.health.isOpen(now);
  }

  /**
   * Whether the key certainly has calls of the hour left, here or in the store. An answer of the store counts if it was
   * requested for a call that was refused in this second: no call is admitted from then on until the second ends.
   */
  hasRemaining(limit: number, now: number): boolean {
    if (this.state.status(limit, now) === 'ready') return true;
    const isChecked = this.#checkedIn === windowStart(now, SECOND_MS) && this.#request === undefined;
    return isChecked && !this.state.isStoreEmpty(limit);
  }

  /** Orders for the calls that wait, `room` at most, and for calls to come; joins a request that is under way. */
  order(limit: number, room: number, now: number): Promise<void> {
    if (this.#request !== undefined) return this.#request;
    if (room === 0) this.#checkedIn = windowStart(now, SECOND_MS);
    const demand = Math.max(0, Math.min(this.waiting, room));
    return this.#exchange({ limit, demand, extra: this.state.shortage(limit, now) }, now);
  }

  /** Orders before the lease runs out, for the calls that wait, `room` at most, and for calls to come. */
  renew(limit: number, room: number, now: number): void {
    if (this.#request !== undefined || this.#deps.health.isOpen(now)) return;
    const { unspent } = this.state;
    const demand = Math.max(0, Math.min(this.waiting, room) - unspent);
    const extra = this.state.shortage(limit, now);
    // What the store would refuse anyway is not ordered.
    if (grantOf(this.state.remaining(limit, now) - unspent, { demand, extra }) === 0) return;
    void this.#exchange({ limit, demand, extra }, now);
  }

  /**
   * Makes sure that a refused call finds something at whichever replica it comes to next: gives back what is held here
   * where the store has nothing left. Once per second at most.
   */
  offer(limit: number, now: number): void {
    const second = windowStart(now, SECOND_MS);
    if (this.#offeredIn === second || this.state.unspent === 0) return;
    this.#offeredIn = second;
    void this.#offer(limit);
  }

  async #offer(limit: number): Promise<void> {
    const { clock, health } = this.#deps;
    while (this.#request !== undefined) await this.#request;
    const now = clock.now().getTime();
    if (health.isOpen(now)) return;
    await this.#exchange({ limit, demand: 0, extra: 0 }, now);
    const returned = (): number => (this.state.isStoreEmpty(limit) ? this.state.unspent : 0);
    await returnLeases([this], returned, this.#deps);
  }

  /** Takes `amount` out, to be given back with others; undefined where there is nothing or a request is under way. */
  surrender(amount: number): Return | undefined {
    if (amount === 0 || this.#request !== undefined) return undefined;
    const window = this.#window();
    const surrendered = this.state.surrender(amount);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#request = promise;
    return {
      window,
      amount,
      settle: (isDone) => {
        if (isDone) recordReturned(this.name, amount);
        else {
          recordFailed(this.name, amount);
          this.state.failed(surrendered);
        }
        this.#request = undefined;
        resolve();
      },
    };
  }

  #window(): Window {
    return { key: this.#key, name: this.name, startsAt: this.state.hour };
  }

  #exchange(o: { limit: number; demand: number; extra: number }, now: number): Promise<void> {
    const order = this.state.order(o, now);
    this.#request = this.#answered(order, this.#deps.store.exchange(this.#window(), order));
    return this.#request;
  }

  async #answered(order: LeaseOrder, grants: Promise<Grant>): Promise<void> {
    // A late grant is noted too: its calls belong to this replica.
    const noted = grants.then((grant) => this.#note(order, grant));
    if (!(await withStore(noted, this.#deps))) {
      recordFailed(this.name, order.returned);
      this.state.failed(order);
    }
    this.#request = undefined;
  }

  #note(order: LeaseOrder, grant: Grant): void {
    recordTaken(this.name, grant.granted);
    this.state.answered(order, grant, this.#deps.clock.now().getTime());
  }
}

/** Gives `surplus` of each lease back, many in one write, while the store answers. */
export async function returnLeases(
  leases: readonly Lease[],
  surplus: (lease: Lease) => number,
  deps: LeaseDeps,
): Promise<void> {
  const candidates = leases.filter((lease) => surplus(lease) > 0);
  for (let at = 0; at < candidates.length && !deps.health.isFailing; at += MAX_RETURNS) {
    const batch = candidates.slice(at, at + MAX_RETURNS);
    // They are taken out only now, because leases are needed while the store is away.
    const returns = batch.map((lease) => lease.surrender(surplus(lease))).filter((it) => it !== undefined);
    if (returns.length === 0) continue;
    const isDone = await withStore(deps.store.giveBack(returns), deps);
    for (const { settle } of returns) settle(isDone);
  }
}

/** Waits for the store and notes whether it answers. Never rejects. */
async function withStore<T>(
  answering: Promise<T>,
  { health, clock, timers, log }: LeaseDeps,
): Promise<boolean> {
  health.tried();
  const answer = await answerOf(answering, timers);
  if (answer.isAnswered) {
    if (health.succeeded()) log.info('calls of the hour can be leased again');
  } else if (health.failed(clock.now().getTime())) {
    log.warn(
      { err: answer.error },
      'calls of the hour cannot be leased; calls are admitted while leases last',
    );
  }
  return answer.isAnswered;
}
