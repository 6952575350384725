import { Lease } from './lease.ts';
import type { LeaseDeps } from './lease.ts';
import type { Limit } from './limit.ts';

/** An hourly limit of a call and the lease that the call spends from. */
export interface LeasedLimit {
  readonly lease: Lease;
  readonly max: number;
}

/** The limits of a call, grouped by the way in which they are counted. */
interface Plan {
  readonly seconds: readonly Limit[];
  readonly secondNames: readonly string[];
  readonly hours: readonly LeasedLimit[];
}

/** The leases of one key, and when it last made a call. */
export class KeyLeases {
  readonly key: string;
  /** Milliseconds since 1970. */
  calledAt = 0;
  readonly #deps: LeaseDeps;
  readonly #leases = new Map<string, Lease>();
  /** Callers pass the same list for the same limits, so that it is grouped only once. */
  readonly #plans = new WeakMap<readonly Limit[], Plan>();

  constructor(key: string, deps: LeaseDeps) {
    this.key = key;
    this.#deps = deps;
  }

  get leases(): readonly Lease[] {
    return [...this.#leases.values()];
  }

  /** Groups these limits by the way in which they are counted. */
  plan(limits: readonly Limit[]): Plan {
    const known = this.#plans.get(limits);
    if (known !== undefined) return known;
    const seconds = limits.filter(({ window }) => window === 'second');
    const plan = {
      seconds,
      secondNames: seconds.map(({ name }) => name),
      hours: limits
        .filter(({ window }) => window === 'hour')
        .map(({ name, max }) => ({ lease: this.#lease(name), max })),
    };
    this.#plans.set(limits, plan);
    return plan;
  }

  #lease(name: string): Lease {
    const lease = this.#leases.get(name) ?? new Lease(this.key, name, this.#deps);
    this.#leases.set(name, lease);
    return lease;
  }
}
