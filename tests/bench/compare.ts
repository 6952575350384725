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
  readonly verdict: 'within ±' | 'better' | 'worse' | 'no ratio';
}

/**
 * Compares two figures measured side by side in each round. A figure that was 0 before in any round has no ratio. Throws unless both have
 * the same rounds, at least one.
 */
export function compareRounds(name: string, before: readonly number[], after: readonly number[]): Difference {
  if (before.length !== after.length || before.length === 0)
    throw new Error(`"${name}" has ${before.length} rounds before and ${after.length} after.`);
  const medians = { name, before: median(before), after: median(after) };
  const ratios = after.map((value, round) => value / (before[round] ?? Number.NaN));
  if (!ratios.every(Number.isFinite))
    return { ...medians, ratio: Number.NaN, spread: Number.NaN, verdict: 'no ratio' };
  const ratio = median(ratios);
  const spread = (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / 2;
  const isWithin = Math.abs(ratio - 1) <= spread;
  return { ...medians, ratio, spread, verdict: isWithin ? 'within ±' : ratio > 1 ? 'worse' : 'better' };
}

/** A tree's measurements from one run. */
export interface TreeMeasurements extends Groups<readonly Measurement[]> {
  readonly footprint: Footprint;
}

/** The figures of one unit, with their differences. */
interface Table {
  readonly title: string;
  readonly digits: number;
  readonly rows: readonly Difference[];
}

/**
 * The comparison as text: one table per measurement, then the lines that are worse by more than their ±, and lines without a ratio. Throws
 * if a subject was measured on one side only.
 */
export function describeComparison(before: TreeMeasurements, after: TreeMeasurements): string {
  const tables = compareAll(before, after);
  const linesOf = (wanted: Difference['verdict']): string[] =>
    tables.flatMap(({ title, rows }) =>
      rows.filter(({ verdict }) => verdict === wanted).map(({ name }) => `${title}: ${name}`),
    );
  const worse = linesOf('worse');
  const without = linesOf('no ratio');
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
    ...(without.length === 0 ? [] : [`Too small to compare:\n  ${without.join('\n  ')}`]),
    `${cpus().length} CPUs, load ${loadavg()[0]?.toFixed(1)}; ratio is the median of the rounds' after / before, ± half the ` +
      'distance between its quartiles',
  ].join('\n\n');
}

function compareAll(before: TreeMeasurements, after: TreeMeasurements): Table[] {
  const rows = (group: keyof Groups<unknown>, figure: keyof Sample): Difference[] =>
    allNames(before[group], after[group]).map((name) =>
      compareRounds(name, valuesOf(before[group], name, figure), valuesOf(after[group], name, figure)),
    );
  const above = (group: 'gate' | 'latency', figure: keyof Sample, name: string, base: string): Difference => {
    const differences = (of: TreeMeasurements): number[] => {
      const bases = valuesOf(of[group], base, figure);
      return valuesOf(of[group], name, figure).map((value, round) => value - (bases[round] ?? Number.NaN));
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
    { title: 'Executions, CPU µs in the tools service', ...micros, rows: rows('executions', 'cpu') },
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

/** Names of both sides, in the order of the first. */
function allNames(before: readonly Measurement[], after: readonly Measurement[]): string[] {
  return [...new Set([...before, ...after].map(({ name }) => name))];
}

function valuesOf(measurements: readonly Measurement[], name: string, figure: keyof Sample): number[] {
  const measurement = measurements.find((one) => one.name === name);
  if (measurement === undefined) throw new Error(`"${name}" was not measured on both sides.`);
  return measurement.rounds.map((sample) => sample[figure]);
}
