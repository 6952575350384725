import { registry } from '@fairlead/service-kit/telemetry/service-metrics';

/** The state that a limiter exposes. */
export interface LimiterState {
  isBurstDegraded(): boolean;
  isStoreAway(): boolean;
  knownReplicas(): number;
  knownKeys(): number;
}

// A limit is called a budget here, because the names of metrics must not change.
const decisions = registry.counter({
  name: 'rate_limit_decisions_total',
  help: 'Calls that a budget admitted, refused, or could not count; a call counts with each of its budgets.',
  labels: ['budget', 'outcome'],
});
const exchanges = registry.counter({
  name: 'rate_limit_lease_exchanges_total',
  help: 'Requests for leases of hourly budgets: calls were taken, nothing was, calls were returned, or no answer came.',
  labels: ['budget', 'outcome'],
});
const calls = registry.counter({
  name: 'rate_limit_leased_calls_total',
  help: 'Calls that were leased, given back, or lost with an answer that did not come.',
  labels: ['budget', 'direction'],
});

/** The limiters of this process; several only in tests. */
const watched = new Set<LimiterState>();
const any = (is: (one: LimiterState) => boolean) => () => ([...watched].some((one) => is(one)) ? 1 : 0);
const most = (of: (one: LimiterState) => number) => () => Math.max(0, ...[...watched].map((one) => of(one)));
registry.observed({
  name: 'rate_limit_burst_degraded',
  help: '1 while NATS is unreachable and each replica admits only its share of the burst budget.',
  read: any((one) => one.isBurstDegraded()),
});
registry.observed({
  name: 'rate_limit_store_away',
  help: '1 while MongoDB does not lease: calls are admitted until the leases that are held are spent.',
  read: any((one) => one.isStoreAway()),
});
registry.observed({
  name: 'rate_limit_known_replicas',
  help: 'Replicas that count calls together, this one included.',
  read: most((one) => one.knownReplicas()),
});
registry.observed({
  name: 'rate_limit_known_accounts',
  help: 'Accounts whose budgets are held in memory.',
  read: most((one) => one.knownKeys()),
});

/** Counts a decision of the limit of this name. */
export function recordDecision(name: string, outcome: 'allowed' | 'refused' | 'unavailable'): void {
  decisions.series(name, outcome).add();
}

/** Counts an answered order that leased `granted` calls. */
export function recordTaken(name: string, granted: number): void {
  exchanges.series(name, granted > 0 ? 'taken' : 'nothing').add();
  calls.series(name, 'taken').add(granted);
}

/** Counts returned calls. */
export function recordReturned(name: string, amount: number): void {
  exchanges.series(name, 'returned').add();
  calls.series(name, 'returned').add(amount);
}

/** Counts an unanswered write, which should have returned `lost` calls. */
export function recordFailed(name: string, lost: number): void {
  exchanges.series(name, 'failed').add();
  calls.series(name, 'lost').add(lost);
}

/** Exposes this state on the metrics page until the returned function is called. */
export function watch(one: LimiterState): () => void {
  watched.add(one);
  return () => watched.delete(one);
}
