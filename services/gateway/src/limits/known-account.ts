import type { Budgets } from '../identity/domain/budgets.ts';
import { policyOf } from './domain/headers.ts';
import { LeaseDesk } from './lease-desk.ts';
import type { DeskDeps } from './lease-desk.ts';

/** A lease that a call needs, with its limit. */
export interface Need {
  readonly desk: LeaseDesk;
  readonly limit: number;
}

/** An account that calls: its leases, and the texts of its budgets. */
export class KnownAccount {
  readonly id: string;
  /** Milliseconds since 1970. */
  calledAt = 0;
  readonly hourly: LeaseDesk;
  /** From the first search on. */
  searchHourly: LeaseDesk | undefined;
  readonly #deps: DeskDeps;
  #budgets: Budgets | undefined;
  #callPolicy = '';
  #searchPolicy = '';

  constructor(id: string, deps: DeskDeps) {
    this.id = id;
    this.#deps = deps;
    this.hourly = new LeaseDesk(id, 'hourly', deps);
  }

  get desks(): readonly LeaseDesk[] {
    return this.searchHourly === undefined ? [this.hourly] : [this.hourly, this.searchHourly];
  }

  /** The leases that a call takes from, the general one first. */
  needs(budgets: Budgets, isSearch: boolean): readonly Need[] {
    const general = { desk: this.hourly, limit: budgets.hourly };
    if (!isSearch) return [general];
    this.searchHourly ??= new LeaseDesk(this.id, 'searchHourly', this.#deps);
    return [general, { desk: this.searchHourly, limit: budgets.searchPerHour }];
  }

  /** RateLimit-Policy, made once for the same budgets. */
  policy(budgets: Budgets, isSearch: boolean): string {
    if (budgets !== this.#budgets) {
      this.#budgets = budgets;
      this.#callPolicy = policyOf(budgets, false);
      this.#searchPolicy = policyOf(budgets, true);
    }
    return isSearch ? this.#searchPolicy : this.#callPolicy;
  }
}
