import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import { LeaseState } from './lease-state.ts';
import type { LeaseOrder, LeaseStatus } from './lease-state.ts';
import { recordFailed, recordReturned, recordTaken } from './metrics.ts';
import { answerOf } from './store-answer.ts';
import type { StoreHealth } from './store-health.ts';
import { grantOf } from './window-store.ts';
import type { Grant, Window, WindowStore } from './window-store.ts';
import { SECOND_MS, windowStart } from './windows.ts';

/** The dependencies that all leases of a replica share. */
export interface LeaseDeps {
  readonly store: WindowStore;
  readonly health: StoreHealth;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}

/** The maximum number of leases that one failed write may lose. */
const MAX_RETURNS = 500;

/** A part of a lease that is being returned; `settle` records whether it arrived. */
interface Return {
  readonly window: Window;
  readonly amount: number;
  readonly settle: (isDone: boolean) => void;
}

/** The lease of one key under one hourly limit, with at most one request to the store at a time. */
export class Lease {
  /** The calls that are held. */
  readonly state = new LeaseState();
  /** Calls that wait for a grant. */
  waiting = 0;
  readonly name: string;
  readonly #key: string;
  readonly #deps: LeaseDeps;
  /** The request in progress; it never rejects. */
  #request: Promise<void> | undefined;
  #checkedIn = 0;
  #offeredIn = 0;

  constructor(key: string, name: string, deps: LeaseDeps) {
    this.#key = key;
    this.name = name;
    this.#deps = deps;
  }

  /** Whether the lease can be dropped without losing anything. */
  get isIdle(): boolean {
    return this.state.unspent === 0 && this.isQuiet;
  }

  /** Whether no request is in progress and no call waits, here or for another limit of the same call. */
  get isQuiet(): boolean {
    return this.#request === undefined && this.waiting === 0;
  }

  /** Resolves when the request in progress has been answered. */
  async settled(): Promise<void> {
    await this.#request;
  }

  /** The state's status. Only one call checks again whether a full hour is still full; the others see it as full. */
  status(limit: number, now: number): LeaseStatus {
    const status = this.state.status(limit, now);
    const isAsked = this.#request !== undefined || this.#deps.health.isOpen(now);
    return status === 'stale' && isAsked ? 'full' : status;
  }

  /** Whether requests to the store are suspended and none is in progress. */
  isUnavailable(now: number): boolean {
    return this.#request === undefined && this.#deps.health.isOpen(now);
  }

  /**
   * Whether the key certainly has calls left in this hour, here or in the store. The store's last answer counts if it was requested in this
   * second because of a refused call: then no further call is admitted until the second ends.
   */
  hasRemaining(limit: number, now: number): boolean {
    if (this.state.status(limit, now) === 'ready') return true;
    const isChecked = this.#checkedIn === windowStart(now, SECOND_MS) && this.#request === undefined;
    return isChecked && !this.state.isStoreEmpty(limit);
  }

  /** Requests calls for the waiting calls, at most `capacity`, and for future ones; joins a request in progress. */
  order(limit: number, capacity: number, now: number): Promise<void> {
    if (this.#request !== undefined) return this.#request;
    if (capacity === 0) this.#checkedIn = windowStart(now, SECOND_MS);
    const demand = Math.max(0, Math.min(this.waiting, capacity));
    return this.#fillOrder({ limit, demand, extra: this.state.shortage(limit, now) }, now);
  }

  /** Requests calls before the lease is used up, for the waiting calls, at most `capacity`, and for future ones. */
  renew(limit: number, capacity: number, now: number): void {
    if (this.#request !== undefined || this.#deps.health.isOpen(now)) return;
    const { unspent } = this.state;
    const demand = Math.max(0, Math.min(this.waiting, capacity) - unspent);
    const extra = this.state.shortage(limit, now);
    // Do not request calls that the store would refuse anyway.
    if (grantOf(this.state.remaining(limit, now) - unspent, { demand, extra }) === 0) return;
    void this.#fillOrder({ limit, demand, extra }, now);
  }

  /**
   * Returns unspent calls to the store if it has none left, so that a call that another replica refused can be admitted there at its next
   * try. At most once per second.
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
    await this.#fillOrder({ limit, demand: 0, extra: 0 }, now);
    const returned = (): number => (this.state.isStoreEmpty(limit) ? this.state.unspent : 0);
    await returnLeases([this], returned, this.#deps);
  }

  /** Takes `amount` calls out, to be returned together with other leases; undefined if there are none or a request is in progress. */
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

  #fillOrder(o: { limit: number; demand: number; extra: number }, now: number): Promise<void> {
    const order = this.state.order(o, now);
    this.#request = this.#answered(order, this.#deps.store.fillOrder(this.#window(), order));
    return this.#request;
  }

  async #answered(order: LeaseOrder, grants: Promise<Grant>): Promise<void> {
    // A late grant is recorded too: its calls belong to this replica.
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

/** Returns the `surplus` of each lease, many in one write, while the store answers. */
export async function returnLeases(
  leases: readonly Lease[],
  surplus: (lease: Lease) => number,
  deps: LeaseDeps,
): Promise<void> {
  const candidates = leases.filter((lease) => surplus(lease) > 0);
  for (let at = 0; at < candidates.length && !deps.health.isFailing; at += MAX_RETURNS) {
    const batch = candidates.slice(at, at + MAX_RETURNS);
    // Taken out only now, because leases are needed while the store is unreachable.
    const returns = batch.map((lease) => lease.surrender(surplus(lease))).filter((it) => it !== undefined);
    if (returns.length === 0) continue;
    const isDone = await withStore(deps.store.giveBack(returns), deps);
    for (const { settle } of returns) settle(isDone);
  }
}

/** Waits for the store and records whether it answers. Never rejects. */
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
