import { cpus, loadavg } from 'node:os';
import type { Footprint } from './footprint.ts';
import type { Measurement, Sample } from './measure.ts';
import { NAMES } from './prepare.ts';
import type { Groups } from './prepare.ts';
import { median, quantile } from './statistics.ts';
import { table } from './table.ts';

/** A figure before and after; less is better. */
export interface Difference {
  readonly name: string;
  /** Medians over the rounds. */
  readonly before: number;
  readonly after: number;
  /** The median of the rounds' ratios: after / before. */
  readonly ratio: number;
  /** Half the interquartile range of the rounds' ratios. */
  readonly spread: number;
  readonly verdict: 'within ±' | 'better' | 'worse';
}

/** Compares two figures that were measured side by side in each round. */
export function compareRounds(name: string, before: readonly number[], after: readonly number[]): Difference {
  const ratios = after.map((value, round) => value / (before[round] ?? Number.NaN));
  const ratio = median(ratios);
  const spread = (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / 2;
  const isWithin = Math.abs(ratio - 1) <= spread;
  return {
    name,
    before: median(before),
    after: median(after),
    ratio,
    spread,
    verdict: isWithin ? 'within ±' : ratio > 1 ? 'worse' : 'better',
  };
}

/** What one run measured of a tree. */
export interface Measured extends Groups<readonly Measurement[]> {
  readonly footprint: Footprint;
}

/** A unit, and the differences in it. */
interface Table {
  readonly title: string;
  readonly digits: number;
  readonly rows: readonly Difference[];
}

/** The comparison as text for people: one table per measurement, then the lines that are worse by more than their ±. */
export function describeComparison(before: Measured, after: Measured): string {
  const tables = compareAll(before, after);
  const worse = tables.flatMap(({ title, rows }) =>
    rows.filter(({ verdict }) => verdict === 'worse').map(({ name }) => `${title}: ${name}`),
  );
  return [
    ...tables.flatMap(({ title, digits, rows }) => [
      title,
      table(
        ['', 'before', 'after', 'ratio', '±', ''],
        rows.map((row) => [
          row.name,
          row.before.toFixed(digits),
          row.after.toFixed(digits),
          row.ratio.toFixed(3),
          row.spread.toFixed(3),
          row.verdict,
        ]),
      ),
    ]),
    worse.length === 0
      ? 'Nothing is worse by more than its ±.'
      : `Worse by more than ±:\n  ${worse.join('\n  ')}`,
    `${cpus().length} CPUs, load ${loadavg()[0]?.toFixed(1)}; ratio is the median of the rounds' after / before, ± half the ` +
      'distance between its quartiles',
  ].join('\n\n');
}

function compareAll(before: Measured, after: Measured): Table[] {
  const rows = (group: keyof Groups<unknown>, figure: keyof Sample): Difference[] =>
    before[group].map((one, i) =>
      compareRounds(one.name, valuesOf(one, figure), valuesOf(after[group][i], figure)),
    );
  const above = (group: 'gate' | 'latency', figure: keyof Sample, name: string, base: string): Difference => {
    const differences = (of: Measured): number[] => {
      const bases = valuesOf(named(of[group], base), figure);
      return valuesOf(named(of[group], name), figure).map((value, round) => value - (bases[round] ?? 0));
    };
    return compareRounds(`${name}, above "${base}"`, differences(before), differences(after));
  };
  const micros = { digits: 1 };
  const millis = { digits: 3 };
  return [
    {
      title: 'CPU of one request in the process that answers it, µs',
      ...micros,
      rows: rows('layers', 'cpu'),
    },
    {
      title: 'Past the gate, CPU µs',
      ...micros,
      rows: [
        ...rows('gate', 'cpu'),
        above('gate', 'cpu', NAMES.key, NAMES.open),
        above('gate', 'cpu', NAMES.bearer, NAMES.open),
      ],
    },
    { title: 'Routes of the running gateway, CPU µs', ...micros, rows: rows('routes', 'cpu') },
    {
      title: 'Routes of the running gateway, p50 ms, eight callers',
      ...millis,
      rows: rows('routes', 'p50Ms'),
    },
    {
      title: 'One caller, nothing else running, p50 ms',
      ...millis,
      rows: [...rows('latency', 'p50Ms'), above('latency', 'p50Ms', NAMES.get, NAMES.mongo)],
    },
    { title: 'RPC over each transport, CPU µs in the caller', ...micros, rows: rows('transports', 'cpu') },
    {
      title: 'RPC over each transport, CPU µs in the service',
      ...micros,
      rows: rows('transports', 'otherCpu'),
    },
    { title: 'RPC over each transport, p50 ms', ...millis, rows: rows('transports', 'p50Ms') },
    {
      title: 'The whole stack, started with warm caches and at rest',
      digits: 2,
      rows: [
        compareRounds('start, seconds', before.footprint.startSeconds, after.footprint.startSeconds),
        compareRounds('memory, GB PSS', before.footprint.pssGigabytes, after.footprint.pssGigabytes),
      ],
    },
  ];
}

function valuesOf(measurement: Measurement | undefined, figure: keyof Sample): number[] {
  return measurement?.rounds.map((sample) => sample[figure]) ?? [];
}

function named(measurements: readonly Measurement[], name: string): Measurement | undefined {
  return measurements.find((one) => one.name === name);
}
