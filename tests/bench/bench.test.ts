import { describe, expect, inject, it } from 'vitest';
import { runBench } from './bench.ts';
import { describeReport } from './report.ts';
import { median, noise, quantile } from './statistics.ts';

describe('the bench', () => {
  // How fast is not asked here: a test machine has other things to do.
  it('measures every layer, every way past the gate, both latencies and every transport of a running stack', async () => {
    const report = await runBench(inject('stack'), { rounds: 1, durationMs: 50 });
    const { layers, gate, latency, transports } = report;
    expect([layers, gate, latency, transports].map(({ length }) => length)).toEqual([9, 5, 2, 4]);
    for (const figures of [...layers, ...gate, ...latency, ...transports]) {
      expect(figures.perSecond, figures.name).toBeGreaterThan(0);
      expect(figures.p99Ms, figures.name).toBeGreaterThanOrEqual(figures.p50Ms);
      expect(describeReport(report)).toContain(figures.name);
    }
  });

  it('tells the middle of its figures and how much they move', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(quantile([], 0.5)).toBe(0);
    expect(noise([10, 10, 10, 10])).toBe(0);
    expect(noise([8, 9, 10, 11, 12])).toBeCloseTo(0.1);
  });
});
