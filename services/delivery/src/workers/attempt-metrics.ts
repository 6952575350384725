import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import type { AttemptMetrics } from '../ports/attempt-metrics.ts';

const attempts = registry.counter({
  name: 'delivery_attempts_total',
  help: 'Attempts to deliver an event, by how they ended; fenced: another process had the claim.',
  labels: ['outcome'],
});

const lag = registry.histogram({
  name: 'delivery_due_lag_seconds',
  help: 'Delay between the due time of an attempt and its start.',
  labels: [],
  buckets: [0.01, 0.05, 0.25, 1, 5, 30, 300, 3_600],
});

const overdue = new Map<object, number>();
registry.observed({
  name: 'delivery_overdue_seconds',
  help: 'How long the longest overdue attempt has been waiting.',
  read: () => Math.max(0, ...overdue.values()) / 1000,
});

/** The metrics of one process's attempts. */
export function attemptMetrics(): AttemptMetrics {
  const self = {};
  return {
    began: (lateMs) => lag.series().observe(Math.max(0, lateMs) / 1000),
    ended: (outcome) => attempts.series(outcome).add(),
    overdue: (longestMs) => void overdue.set(self, longestMs),
    close: () => void overdue.delete(self),
  };
}
