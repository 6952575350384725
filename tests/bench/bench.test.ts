import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it } from 'vitest';
import { measureSides, reportOf } from './bench.ts';
import { compareRounds, describeComparison } from './compare.ts';
import type { TreeMeasurements } from './compare.ts';
import type { Measurement, Sample } from './measure.ts';
import { NAMES } from './prepare.ts';
import { describeReport } from './report.ts';
import { median, noise, quantile } from './statistics.ts';

describe('the bench', () => {
  // Speed is not asserted, because a test machine has other work.
  it('measures two trees beside each other: every layer, every way past the gate, route, execution, latency and transport', async () => {
    const shared = inject('stack');
    // Not the account whose history the newcomer's walk reads.
    const stack = { ...shared, account: shared.otherAccount };
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const [before, after] = await measureSides([{ stack, root }, { stack }], { rounds: 1, durationMs: 50 });
    if (before === undefined || after === undefined) throw new Error('Not both were measured.');
    const report = reportOf(after);
    const { layers, gate, routes, executions, workers, latency, transports } = report;
    const groups = [layers, gate, routes, executions, workers, latency, transports];
    expect(groups.map(({ length }) => length)).toEqual([9, 5, 2, 1, 1, 3, 4]);
    const footprint = { startSeconds: [5], pssGigabytes: [1] };
    const comparison = describeComparison({ ...before, footprint }, { ...after, footprint });
    for (const figures of groups.flat()) {
      expect(figures.perSecond, figures.name).toBeGreaterThan(0);
      expect(figures.p99Ms, figures.name).toBeGreaterThanOrEqual(figures.p50Ms);
      expect(describeReport(report)).toContain(figures.name);
    }
    // Workers are always this tree's.
    const compared = groups.filter((group) => group !== workers).flat();
    for (const { name } of compared) expect(comparison).toContain(name);
  });

  it('reports as worse what is worse in most rounds, and nothing within the noise', () => {
    const before = [10, 20, 30, 40, 50];
    expect(compareRounds('slower', before, [11, 22, 33, 44, 55])).toMatchObject({ verdict: 'worse' });
    expect(compareRounds('faster', before, [9, 18, 27, 36, 45])).toMatchObject({ verdict: 'better' });
    expect(compareRounds('noise', before, [8, 19, 31, 44, 60])).toMatchObject({ verdict: 'within ±' });
  });

  it('compares what has the same name, and refuses what only one side measured', () => {
    const sample = (value: number): Sample => ({
      cpu: value,
      otherCpu: value,
      p50Ms: value,
      p99Ms: value,
      perSecond: value,
    });
    const measured = (transports: Readonly<Record<string, number>>): TreeMeasurements => {
      const group = (values: Readonly<Record<string, number>>): Measurement[] =>
        Object.entries(values).map(([name, value]) => ({ name, rounds: [sample(value)] }));
      return {
        layers: [],
        gate: group({ [NAMES.open]: 1, [NAMES.key]: 2, [NAMES.bearer]: 3 }),
        routes: [],
        executions: [],
        workers: [],
        latency: group({ [NAMES.mongo]: 1, [NAMES.get]: 2 }),
        transports: group(transports),
        footprint: { startSeconds: [5], pssGigabytes: [1] },
      };
    };
    const before = measured({ quick: 1, slow: 9 });
    expect(describeComparison(before, measured({ slow: 9, quick: 1 }))).toContain('Nothing is worse');
    expect(describeComparison(before, measured({ slow: 10, quick: 1 }))).toMatch(/Worse .*:\n.*: slow\n/);
    expect(() => describeComparison(before, measured({ quick: 1 }))).toThrow('"slow" was not measured');
    expect(() => describeComparison(measured({ quick: 1 }), before)).toThrow('"slow" was not measured');
  });

  it('gives no verdict on a figure that was 0, and refuses different numbers of rounds', () => {
    expect(compareRounds('idle', [0, 0], [0, 0])).toMatchObject({ verdict: 'no ratio' });
    expect(compareRounds('idle once', [0, 10], [5, 10])).toMatchObject({ verdict: 'no ratio' });
    expect(() => compareRounds('short', [1, 2], [1])).toThrow('2 rounds before and 1 after');
    expect(() => compareRounds('empty', [], [])).toThrow('0 rounds');
  });

  it('reports the median of its figures and their variation', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(quantile([], 0.5)).toBe(0);
    expect(noise([10, 10, 10, 10])).toBe(0);
    expect(noise([8, 9, 10, 11, 12])).toBeCloseTo(0.1);
  });
});
