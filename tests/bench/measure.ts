import { cpuMicros } from './cpu.ts';
import type { LoopResult } from './closed-loop.ts';
import { median, noise } from './statistics.ts';

/** Something that is measured again and again, in turn with the others. */
export interface Subject {
  readonly name: string;
  /** Process whose CPU time counts for a call. */
  readonly pid: number;
  /** A second process whose CPU time is noted beside it: the other end of a hop. */
  readonly otherPid?: number;
  /** Puts it under load for so long. */
  readonly run: (durationMs: number) => Promise<LoopResult>;
}

/** Medians over the rounds. */
export interface Figures {
  readonly name: string;
  /** CPU microseconds a call of the subject's process. */
  readonly cpu: number;
  /** Likewise of the other process. */
  readonly otherCpu: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly perSecond: number;
  /** How much `cpu` moves from round to round (share of the median). */
  readonly noise: number;
}

interface Sample extends LoopResult {
  readonly cpu: number;
  readonly otherCpu: number;
}

/**
 * Measures every subject once a round, in another order each time, so that what the machine does meanwhile hits all of them
 * alike. The first round warms up and does not count. Throws when a call fails: a figure of failures says nothing.
 */
export async function measure(
  subjects: readonly Subject[],
  o: { readonly rounds: number; readonly durationMs: number },
): Promise<Figures[]> {
  const samples = new Map(subjects.map((subject) => [subject, [] as Sample[]]));
  for (let round = 0; round <= o.rounds; round += 1) {
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const sample = await once(subject, o.durationMs);
      if (round > 0) samples.get(subject)?.push(sample);
    }
  }
  return [...samples].map(([{ name }, of]) => ({
    name,
    cpu: median(of.map(({ cpu }) => cpu)),
    otherCpu: median(of.map(({ otherCpu }) => otherCpu)),
    p50Ms: median(of.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(of.map(({ p99Ms }) => p99Ms)),
    perSecond: median(of.map(({ perSecond }) => perSecond)),
    noise: noise(of.map(({ cpu }) => cpu)),
  }));
}

/** Subjects of one name are one thing in several processes: the means of their figures, in the order of the names. */
export function meanByName(figures: readonly Figures[]): Figures[] {
  return [...Map.groupBy(figures, ({ name }) => name)].map(([name, of]) => {
    const mean = (figure: keyof Omit<Figures, 'name'>): number =>
      of.reduce((sum, one) => sum + one[figure], 0) / of.length;
    return {
      name,
      cpu: mean('cpu'),
      otherCpu: mean('otherCpu'),
      p50Ms: mean('p50Ms'),
      p99Ms: mean('p99Ms'),
      perSecond: mean('perSecond'),
      noise: mean('noise'),
    };
  });
}

async function once(subject: Subject, durationMs: number): Promise<Sample> {
  const before = cpuMicros(subject.pid);
  const otherBefore = subject.otherPid === undefined ? 0 : cpuMicros(subject.otherPid);
  const result = await subject.run(durationMs);
  const used = cpuMicros(subject.pid) - before;
  const otherUsed = subject.otherPid === undefined ? 0 : cpuMicros(subject.otherPid) - otherBefore;
  if (result.failures > 0) throw new Error(`${subject.name}: ${result.failures} calls failed`);
  return { ...result, cpu: used / result.calls, otherCpu: otherUsed / result.calls };
}
