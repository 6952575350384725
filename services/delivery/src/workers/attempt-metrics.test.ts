import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import { expect, test } from 'vitest';
import { attemptMetrics } from './attempt-metrics.ts';

function valueOf(series: string): number {
  const line = registry
    .render()
    .split('\n')
    .find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length));
}

test('attempts are counted by how they ended, with how late they began', () => {
  const series = [
    'delivery_due_lag_seconds_bucket{le="0.01"}',
    'delivery_due_lag_seconds_bucket{le="5"}',
    'delivery_due_lag_seconds_count',
  ];
  const metrics = attemptMetrics();
  metrics.began(0);
  metrics.ended('fenced');
  const before = series.map(valueOf);
  const fenced = valueOf('delivery_attempts_total{outcome="fenced"}');
  // After a clock was set back, an attempt begins before it is due.
  for (const lateMs of [-1_000, 4_000, 60_000]) metrics.began(lateMs);
  metrics.ended('fenced');
  expect(series.map(valueOf)).toEqual([1, 2, 3].map((more, at) => (before[at] ?? 0) + more));
  expect(valueOf('delivery_attempts_total{outcome="fenced"}')).toBe(fenced + 1);
  metrics.close();
});

test('the longest overdue attempt of the process is shown, and none once its worker has stopped', () => {
  const [one, other] = [attemptMetrics(), attemptMetrics()];
  one.overdue(90_000);
  other.overdue(3_600_000);
  expect(valueOf('delivery_overdue_seconds')).toBe(3_600);
  other.close();
  expect(valueOf('delivery_overdue_seconds')).toBe(90);
  one.overdue(0);
  expect(valueOf('delivery_overdue_seconds')).toBe(0);
  one.close();
});
