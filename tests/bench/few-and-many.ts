import { measure } from './measure.ts';
import type { Measurement, Sample, Subject } from './measure.ts';
import { median } from './statistics.ts';
import { table } from './table.ts';

/** Measures the same subjects among few and among many records, in pairs in every round; returns a table of medians and ratios. */
export async function compareFewAndMany(
  few: readonly Subject[],
  many: readonly Subject[],
  o: { readonly rounds: number; readonly durationMs: number },
): Promise<string> {
  const inTurn = few.flatMap((subject, index) => [subject, ...many.slice(index, index + 1)]);
  const measured = await measure(inTurn, o);
  return describe(
    measured.filter((_one, index) => index % 2 === 0),
    measured.filter((_one, index) => index % 2 === 1),
  );
}

/** The median over the rounds of the ratio: figure among many / figure among few in the same round. */
function ratioOf(few: Measurement, many: Measurement, figure: (sample: Sample) => number): number {
  const ratios = many.rounds.map((sample, round) => {
    const other = few.rounds[round];
    return other === undefined ? Number.NaN : figure(sample) / figure(other);
  });
  return median(ratios);
}

const cpuOf = ({ cpu, otherCpu }: Sample): number => cpu + otherCpu;

function describe(few: readonly Measurement[], many: readonly Measurement[]): string {
  const rows = many.map((one, index) => {
    const other = few[index];
    if (other === undefined) throw new Error(`${one.name} was not measured among few.`);
    const both = (figure: (sample: Sample) => number): string[] =>
      [other, one].map(({ rounds: of }) => median(of.map(figure)).toFixed(2));
    const millis = (sample: Sample): number => cpuOf(sample) / 1_000;
    return [
      one.name,
      ...both(millis),
      ratioOf(other, one, cpuOf).toFixed(2),
      ...both(({ p50Ms }) => p50Ms),
      ratioOf(other, one, ({ p50Ms }) => p50Ms).toFixed(2),
    ];
  });
  return table(['', 'CPU ms', 'of many', 'ratio', 'p50 ms', 'of many', 'ratio'], rows);
}
