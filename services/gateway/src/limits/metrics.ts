import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import type { SharedBudget } from './domain/window-store.ts';

/** What shows of a replica's limits. */
export interface LimiterState {
  isBurstDegraded(): boolean;
  isStoreAway(): boolean;
  knownReplicas(): number;
  knownAccounts(): number;
}

/** The budgets by the names that headers have; the trigger test has no header. */
type BudgetName = 'burst' | 'hourly' | 'search' | 'searchHourly' | 'triggerTest';

const decisions = registry.counter({
  name: 'rate_limit_decisions_total',
  help: 'Calls that a budget let in, refused, or could not be asked about; a call counts with each of its budgets.',
  labels: ['budget', 'outcome'],
});
const exchanges = registry.counter({
  name: 'rate_limit_lease_exchanges_total',
  help: 'Questions about leases of hourly budgets: calls were taken, nothing was, calls were returned, or no answer came.',
  labels: ['budget', 'outcome'],
});
const calls = registry.counter({
  name: 'rate_limit_leased_calls_total',
  help: 'Calls that were leased, given back, or lost with an answer that did not come.',
  labels: ['budget', 'direction'],
});

/** More than one only where tests run several in a process. */
const watched = new Set<LimiterState>();
const any = (is: (one: LimiterState) => boolean) => () => ([...watched].some((one) => is(one)) ? 1 : 0);
const most = (of: (one: LimiterState) => number) => () => Math.max(0, ...[...watched].map((one) => of(one)));
registry.observed({
  name: 'rate_limit_burst_degraded',
  help: '1 while NATS is away and each replica lets in its share of the burst budget only.',
  read: any((one) => one.isBurstDegraded()),
});
registry.observed({
  name: 'rate_limit_store_away',
  help: '1 while MongoDB does not lease: calls are let in until the leases that are held are spent.',
  read: any((one) => one.isStoreAway()),
});
registry.observed({
  name: 'rate_limit_known_replicas',
  help: 'Replicas of the gateway that count calls together, this one included.',
  read: most((one) => one.knownReplicas()),
});
registry.observed({
  name: 'rate_limit_known_accounts',
  help: 'Accounts whose budgets are held in memory.',
  read: most((one) => one.knownAccounts()),
});

const decisionsOf = (budget: BudgetName) => ({
  allowed: decisions.series(budget, 'allowed'),
  refused: decisions.series(budget, 'refused'),
  unavailable: decisions.series(budget, 'unavailable'),
});

/** Counts what each budget decides, one call at a time. */
export const decided = {
  burst: decisionsOf('burst'),
  hourly: decisionsOf('hourly'),
  search: decisionsOf('search'),
  searchHourly: decisionsOf('searchHourly'),
  triggerTest: decisionsOf('triggerTest'),
};

/** Counts an answered exchange, by which `granted` calls were leased. */
export function recordTaken(budget: SharedBudget, granted: number): void {
  exchanges.series(budget, granted > 0 ? 'taken' : 'nothing').add();
  calls.series(budget, 'taken').add(granted);
}

/** Counts calls that went back. */
export function recordReturned(budget: SharedBudget, amount: number): void {
  exchanges.series(budget, 'returned').add();
  calls.series(budget, 'returned').add(amount);
}

/** Counts a write without an answer; `lost` calls were to go back with it. */
export function recordFailed(budget: SharedBudget, lost: number): void {
  exchanges.series(budget, 'failed').add();
  calls.series(budget, 'lost').add(lost);
}

/** Shows this state on the metrics page until the returned function is called. */
export function watch(one: LimiterState): () => void {
  watched.add(one);
  return () => watched.delete(one);
}
