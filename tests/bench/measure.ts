import { readFileSync } from 'node:fs';
import { processTree } from '../faults/support/processes.ts';
import type { LoopResult } from './closed-loop.ts';
import { median, noise } from './statistics.ts';

/** Linux reports these times in hundredths of a second (USER_HZ), whatever the kernel's own tick is. */
const MICROSECONDS_A_TICK = 10_000;

/** A subject that is measured repeatedly, in turn with others. */
export interface Subject {
  readonly name: string;
  /** The process whose CPU time per call is measured, together with its descendants. */
  readonly pid: number;
  /** A second process whose CPU time is also measured: the other end of a hop. */
  readonly otherPid?: number;
  /** Puts the subject under load for this long. */
  readonly run: (durationMs: number) => Promise<LoopResult>;
}

/** One measurement of a subject. */
export interface Sample {
  /** CPU microseconds per call of the subject's process. */
  readonly cpu: number;
  /** CPU microseconds per call of the other process. */
  readonly otherCpu: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly perSecond: number;
}

/** A subject's measurements, by round. */
export interface Measurement {
  readonly name: string;
  readonly rounds: readonly Sample[];
}

/** Medians over the rounds. */
export interface Figures extends Sample {
  readonly name: string;
  /** Variation of `cpu` between rounds, as a share of the median. */
  readonly noise: number;
}

/**
 * Measures every subject once per round, in changing order, so that other load on the machine affects all alike. The first round is a
 * warm-up and does not count. Throws if a call fails, because figures of failures are meaningless.
 */
export async function measure(
  subjects: readonly Subject[],
  o: { readonly rounds: number; readonly durationMs: number },
): Promise<Measurement[]> {
  const rounds = new Map(subjects.map((subject) => [subject, [] as Sample[]]));
  for (let round = 0; round <= o.rounds; round += 1) {
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const sample = await once(subject, o.durationMs);
      if (round > 0) rounds.get(subject)?.push(sample);
    }
  }
  return [...rounds].map(([{ name }, of]) => ({ name, rounds: of }));
}

/** Merges subjects with the same name, which are one subject in several processes: means per round, in the order of names. */
export function meanByName(measurements: readonly Measurement[]): Measurement[] {
  return [...Map.groupBy(measurements, ({ name }) => name)].map(([name, of]) => ({
    name,
    rounds: (of[0]?.rounds ?? []).map((_, round) => {
      const mean = (member: keyof Sample): number =>
        of.reduce((sum, { rounds }) => sum + (rounds[round]?.[member] ?? 0), 0) / of.length;
      return {
        cpu: mean('cpu'),
        otherCpu: mean('otherCpu'),
        p50Ms: mean('p50Ms'),
        p99Ms: mean('p99Ms'),
        perSecond: mean('perSecond'),
      };
    }),
  }));
}

/** The medians of the measurements. */
export function figuresOf({ name, rounds }: Measurement): Figures {
  const middle = (member: keyof Sample): number => median(rounds.map((sample) => sample[member]));
  return {
    name,
    cpu: middle('cpu'),
    otherCpu: middle('otherCpu'),
    p50Ms: middle('p50Ms'),
    p99Ms: middle('p99Ms'),
    perSecond: middle('perSecond'),
    noise: noise(rounds.map(({ cpu }) => cpu)),
  };
}

async function once(subject: Subject, durationMs: number): Promise<Sample> {
  const before = cpuMicros(subject.pid);
  const otherBefore = subject.otherPid === undefined ? 0 : cpuMicros(subject.otherPid);
  const { calls, failures, p50Ms, p99Ms, perSecond } = await subject.run(durationMs);
  const used = cpuMicros(subject.pid) - before;
  const otherUsed = subject.otherPid === undefined ? 0 : cpuMicros(subject.otherPid) - otherBefore;
  if (failures > 0) throw new Error(`${subject.name}: ${failures} calls failed`);
  return { cpu: used / calls, otherCpu: otherUsed / calls, p50Ms, p99Ms, perSecond };
}

/** CPU time used by a process and its descendants, in user and kernel mode, in microseconds (proc(5), stat). */
export function cpuMicros(root: number): number {
  return processTree(root).reduce((sum, pid) => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_A_TICK;
  }, 0);
}
