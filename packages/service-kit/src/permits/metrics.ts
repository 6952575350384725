import { registry } from '../telemetry/service-metrics.ts';

const calls = registry.counter({
  name: 'account_slots_calls_total',
  help: 'Calls that needed a permit of their account: free at once, got one later, or refused because too many wait, none came free in time, or the caller left.',
  labels: ['outcome'],
});

/** Several only if tests run more than one in a process. */
const watched = new Set<() => number>();
registry.observed({
  name: 'account_slots_waiting_calls',
  help: 'Calls that wait for a permit of their account.',
  read: () => [...watched].reduce((sum, waiting) => sum + waiting(), 0),
});

/** Counts the outcome of a call that needed a permit. */
export function recordPermit(outcome: 'free' | 'waited' | 'full' | 'late' | 'left'): void {
  calls.series(outcome).add();
}

/** Exposes the number of waiting calls on the metrics page until the returned function is called. */
export function watchPermits(waiting: () => number): () => void {
  watched.add(waiting);
  return () => void watched.delete(waiting);
}
