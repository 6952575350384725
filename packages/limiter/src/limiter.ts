import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import { KeyLeases } from './key-leases.ts';
import type { LeasedLimit } from './key-leases.ts';
import { returnLeases } from './lease.ts';
import type { Lease, LeaseDeps } from './lease.ts';
import type { Decision, Limit } from './limit.ts';
import { recordDecision } from './metrics.ts';
import type { LimiterState } from './metrics.ts';
import { shareCounts } from './shared-counts.ts';
import type { CountBus, SharedCounts } from './shared-counts.ts';
import { StoreHealth } from './store-health.ts';
import type { WindowStore } from './window-store.ts';

/** How often leases are checked for idle ones. */
const SWEEP_MS = 1_000;
/** A key that has not called for this long is dropped. */
const EXPIRES_AFTER_MS = 60_000;

/** Rate limits of keys, counted together with the other replicas (docs/adr/0012). */
export interface Limiter {
  /**
   * Decides whether a call of this key passes all of these limits, and counts it if it does. Decides at once if it can
   * do so from memory. Pass the same list for the same limits: the limiter prepares each list once.
   */
  admit(key: string, limits: readonly Limit[]): Decision | Promise<Decision>;
  /** The remaining calls of these limits; counts nothing. */
  peek(key: string, limits: readonly Limit[]): Decision;
  /** For the metrics page: pass it to `watch`. */
  readonly state: LimiterState;
  /** Returns the calls that are leased and not spent, and leaves the other replicas. */
  close(): Promise<void>;
}

/** The parts and limits of a limiter. */
export interface LimiterOptions {
  /** Unique among the replicas, and new at every start. */
  readonly replica: string;
  readonly store: WindowStore;
  readonly bus: CountBus;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}

/** One call that waits for a decision. */
interface Call {
  readonly known: KeyLeases;
  readonly limits: readonly Limit[];
  readonly plan: ReturnType<KeyLeases['plan']>;
}

/** The leases for which the store must be asked before a call can be decided. */
class LeaseRequest {
  readonly needs: readonly LeasedLimit[];
  /** Number of calls that the limits per second still admit now; 0: the call is refused anyway, and the store is asked only for the reason. */
  readonly capacity: number;

  constructor(needs: readonly LeasedLimit[], capacity: number) {
    this.needs = needs;
    this.capacity = capacity;
  }
}

/** A limiter over any store, bus and clock. */
export function createLimiter(o: LimiterOptions): Limiter {
  const health = new StoreHealth();
  const counts = shareCounts(o);
  const keys = new KeyLimiter({ ...o, health }, counts);
  let isClosed = false;
  const sweep = async (): Promise<void> => {
    await keys.sweep();
    if (!isClosed) sweeping = o.timers.after(SWEEP_MS, () => void sweep());
  };
  let sweeping = o.timers.after(SWEEP_MS, () => void sweep());
  return {
    state: {
      isBurstDegraded: () => counts.isDegraded,
      isStoreAway: () => health.isFailing,
      knownReplicas: () => counts.knownReplicas,
      knownKeys: () => keys.size,
    },
    admit: (key, limits) => keys.admit(key, limits),
    peek: (key, limits) => keys.peek(key, limits),
    async close() {
      isClosed = true;
      sweeping.cancel();
      await Promise.all([counts.close(), keys.close()]);
    },
  };
}

class KeyLimiter {
  readonly #deps: LeaseDeps;
  readonly #counts: SharedCounts;
  readonly #keys = new Map<string, KeyLeases>();

  constructor(deps: LeaseDeps, counts: SharedCounts) {
    this.#deps = deps;
    this.#counts = counts;
  }

  get size(): number {
    return this.#keys.size;
  }

  admit(key: string, limits: readonly Limit[]): Decision | Promise<Decision> {
    const now = this.#now();
    const call = this.#call(key, limits, now);
    const decision = this.#decide(call, now);
    return decision instanceof LeaseRequest ? this.#request(call, decision) : decision;
  }

  peek(key: string, limits: readonly Limit[]): Decision {
    const now = this.#now();
    const call = this.#call(key, limits, now);
    const remaining = this.#remaining(call, this.#remainingOfSecond(call, now), now);
    return { outcome: 'admitted', remaining, atMs: now };
  }

  /** Returns idle leases and drops idle keys. */
  async sweep(): Promise<void> {
    const now = this.#now();
    for (const [key, { calledAt, leases }] of this.#keys) {
      if (now - calledAt >= EXPIRES_AFTER_MS && leases.every((lease) => lease.isIdle)) this.#keys.delete(key);
    }
    await returnLeases(this.#leases(), ({ state }) => state.surplus(now), this.#deps);
  }

  /** Returns everything. */
  async close(): Promise<void> {
    const isQuiet = (): boolean => this.#leases().every((lease) => lease.isQuiet);
    while (!isQuiet()) await Promise.all(this.#leases().map((lease) => lease.settled()));
    await returnLeases(this.#leases(), ({ state }) => state.unspent, this.#deps);
  }

  /** Decides and counts from memory; or returns what must be requested first. */
  #decide(call: Call, now: number): Decision | LeaseRequest {
    const ofSecond = this.#remainingOfSecond(call, now);
    if (call.plan.hours.some(({ lease, max }) => lease.status(max, now) === 'full'))
      return this.#refuseForHour(call, ofSecond, now);
    return ofSecond.includes(0)
      ? this.#refuseForSecond(call, ofSecond, now)
      : this.#admit(call, ofSecond, now);
  }

  #admit(call: Call, ofSecond: readonly number[], now: number): Decision | LeaseRequest {
    const { known, limits, plan } = call;
    const unclear = plan.hours.filter(({ lease, max }) => lease.status(max, now) !== 'ready');
    if (unclear.some(({ lease }) => lease.isUnavailable(now))) {
      for (const { lease } of plan.hours) recordDecision(lease.name, 'unavailable');
      return { outcome: 'unavailable' };
    }
    if (unclear.length > 0) return new LeaseRequest(unclear, Math.min(...ofSecond));
    if (plan.secondNames.length > 0) this.#counts.count(known.key, plan.secondNames, now);
    const left = ofSecond.map((count) => count - 1);
    const capacity = Math.min(...left);
    for (const { lease, max } of plan.hours) {
      lease.state.spend(now);
      lease.renew(max, capacity, now);
    }
    for (const { name } of limits) recordDecision(name, 'allowed');
    return { outcome: 'admitted', remaining: this.#remaining(call, left, now), atMs: now };
  }

  #refuseForSecond(call: Call, ofSecond: readonly number[], now: number): Decision | LeaseRequest {
    const { seconds, hours } = call.plan;
    // A caller must not retry in a second only to find that the hour is full as well.
    const unclear = hours.filter(
      ({ lease, max }) => !lease.hasRemaining(max, now) && !lease.isUnavailable(now),
    );
    if (unclear.length > 0) return new LeaseRequest(unclear, 0);
    if (this.#counts.knownReplicas > 1) for (const { lease, max } of hours) lease.offer(max, now);
    for (const [at, { name }] of seconds.entries()) if (ofSecond[at] === 0) recordDecision(name, 'refused');
    const remaining = this.#remaining(call, ofSecond, now);
    return { outcome: 'refused', fullWindow: 'second', remaining, atMs: now };
  }

  #refuseForHour(call: Call, ofSecond: readonly number[], now: number): Decision {
    for (const { lease, max } of call.plan.hours)
      if (lease.status(max, now) === 'full') recordDecision(lease.name, 'refused');
    const remaining = this.#remaining(call, ofSecond, now);
    return { outcome: 'refused', fullWindow: 'hour', remaining, atMs: now };
  }

  /** Requests calls until this call can be decided: a grant may be used up by calls that have waited longer. */
  async #request(call: Call, first: LeaseRequest): Promise<Decision> {
    for (let request = first; ;) {
      const { needs, capacity } = request;
      const now = this.#now();
      const change = capacity > 0 ? 1 : 0;
      for (const { lease } of needs) lease.waiting += change;
      await Promise.all(needs.map(({ lease, max }) => lease.order(max, capacity, now)));
      // Before the next waiting call continues, so that this request includes the others.
      for (const { lease } of needs) lease.waiting -= change;
      const decision = this.#decide(call, this.#now());
      if (!(decision instanceof LeaseRequest)) return decision;
      request = decision;
    }
  }

  /** How many calls this replica may admit in the current second, over all limits per second. */
  #remainingOfSecond({ known, plan }: Call, now: number): number[] {
    return plan.seconds.map(({ name, max }) => this.#counts.remaining(known.key, name, max, now));
  }

  #remaining({ limits, plan }: Call, ofSecond: readonly number[], now: number): number[] {
    let [second, hour] = [0, 0];
    return limits.map(({ window, max }) =>
      window === 'second'
        ? (ofSecond[second++] ?? 0)
        : (plan.hours[hour++]?.lease.state.remaining(max, now) ?? 0),
    );
  }

  #call(key: string, limits: readonly Limit[], now: number): Call {
    const known = this.#keys.get(key) ?? new KeyLeases(key, this.#deps);
    if (known.calledAt === 0) this.#keys.set(key, known);
    known.calledAt = now;
    return { known, limits, plan: known.plan(limits) };
  }

  #leases(): readonly Lease[] {
    return [...this.#keys.values()].flatMap(({ leases }) => leases);
  }

  #now(): number {
    return this.#deps.clock.now().getTime();
  }
}
