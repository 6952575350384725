import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import type { LossReason } from './errors.ts';

/** The exposed state of a pool. */
export interface PoolState {
  workerCount(): number;
  waitingCount(): number;
}

const calls = registry.counter({
  name: 'worker_pool_calls_total',
  help: 'Calls given to a pool of workers; outcome is ok, failed, why the worker was lost, or why none was given.',
  labels: ['pool', 'outcome'],
});
const losses = registry.counter({
  name: 'worker_pool_workers_lost_total',
  help: 'Workers that ended or were killed while they should have served, by reason.',
  labels: ['pool', 'reason'],
});
const starts = registry.histogram({
  name: 'worker_pool_start_duration_seconds',
  help: 'Time until a new worker takes calls.',
  labels: ['pool'],
});

/** Several, if a service has more than one pool, or tests run in one process. */
const watched = new Set<PoolState>();
const sum = (of: (pool: PoolState) => number) => () =>
  [...watched].reduce((total, pool) => total + of(pool), 0);
registry.observed({
  name: 'worker_pool_workers',
  help: 'Worker processes of all pools.',
  read: sum((pool) => pool.workerCount()),
});
registry.observed({
  name: 'worker_pool_waiting_calls',
  help: 'Calls that wait for a worker.',
  read: sum((pool) => pool.waitingCount()),
});

/** Counts a call at its end. */
export function recordCall(pool: string, outcome: string): void {
  calls.series(pool, outcome).add();
}

/** Counts a lost worker. */
export function recordLoss(pool: string, reason: LossReason): void {
  losses.series(pool, reason).add();
}

/** Records how long a worker took to become ready. */
export function recordStart(pool: string, durationMs: number): void {
  starts.series(pool).observe(durationMs / 1000);
}

/** Exposes a pool on the metrics page until the returned function is called. */
export function watchPool(pool: PoolState): () => void {
  watched.add(pool);
  return () => void watched.delete(pool);
}
