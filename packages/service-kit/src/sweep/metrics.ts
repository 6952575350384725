import { registry } from '../telemetry/service-metrics.ts';

const items = registry.counter({
  name: 'sweep_items_total',
  help: 'Due documents that this process claimed, by what became of them; deferred: their tenant has as many in progress as it may; lost: the claim had expired and another process had it.',
  labels: ['sweep', 'outcome'],
});

const lag = registry.histogram({
  name: 'sweep_lag_seconds',
  help: 'How long due documents waited until work on them began.',
  labels: ['sweep'],
  buckets: [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400],
});

/** The longest overdue document of each sweep in this process, in milliseconds. */
const overdue = new Map<object, number>();
registry.observed({
  name: 'sweep_overdue_seconds',
  help: 'How long the longest overdue document of any sweep has been waiting.',
  read: () => Math.max(0, ...overdue.values()) / 1000,
});

/** The outcome of the work on a claimed document. */
export type SweepOutcome = 'settled' | 'failed' | 'lost' | 'released' | 'deferred';

/** The metrics of one sweep. `name` must be one of few, because it is a label. */
export function sweepMetrics(name: string) {
  const self = {};
  return {
    began: (waitedMs: number): void => lag.series(name).observe(Math.max(0, waitedMs) / 1000),
    ended: (outcome: SweepOutcome): void => items.series(name, outcome).add(),
    overdue: (longestMs: number): void => void overdue.set(self, longestMs),
    close: (): void => void overdue.delete(self),
  };
}
