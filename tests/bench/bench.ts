import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from './child.ts';
import type { Scripts, StartScript } from './child.ts';
import { figuresOf, meanByName, measure } from './measure.ts';
import type { Figures, Measurement, Subject } from './measure.ts';
import { prepareSubjects } from './prepare.ts';
import type { Groups, Side } from './prepare.ts';
import { clearStores } from './stores.ts';

/** Duration and number of measurements. */
export interface BenchOptions {
  readonly rounds: number;
  /** Duration of one measurement of one subject. */
  readonly durationMs: number;
}

/** A tree's figures from one run. */
export type BenchReport = Groups<readonly Figures[]>;

/** Medians of the rounds. */
export function reportOf(measured: Groups<readonly Measurement[]>): BenchReport {
  const figures = (of: readonly Measurement[]): Figures[] => of.map(figuresOf);
  return {
    layers: figures(measured.layers),
    gate: figures(measured.gate),
    routes: figures(measured.routes),
    executions: figures(measured.executions),
    workers: figures(measured.workers),
    latency: figures(measured.latency),
    transports: figures(measured.transports),
  };
}

/**
 * Measures running stacks side by side: in each round, every subject of one stack is measured next to the same subject of the others. When
 * it resolves or rejects, everything that it started has ended, except the stacks.
 */
export async function measureSides(
  sides: readonly Side[],
  o: BenchOptions,
): Promise<Groups<readonly Measurement[]>[]> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-'));
  const starting: Promise<{ stop(): Promise<void> }>[] = [];
  const startOf =
    (root: string | undefined): StartScript =>
    <S extends keyof Scripts>(script: S, ...args: readonly string[]): Promise<Scripts[S]> => {
      const logFile = join(folder, `${starting.length}.log`);
      const child = startChild(script, { args, logFile, root });
      starting.push(child);
      return child;
    };
  const measureGroup = async (
    name: keyof Groups<unknown>,
    prepared: readonly Groups<readonly Subject[]>[],
  ): Promise<(readonly Measurement[])[]> => {
    // One program prepares all sides, so equal positions have the same subject.
    const inTurn = (prepared[0]?.[name] ?? []).flatMap((_, i) =>
      prepared.flatMap((subjects) => subjects[name].slice(i, i + 1)),
    );
    const measured = await measure(inTurn, o);
    return prepared.map((_, side) => meanByName(measured.filter((_one, i) => i % prepared.length === side)));
  };
  try {
    const generator = await startOf(undefined)('load-generator');
    // In parallel, because most of the time is process start.
    const preparing = await Promise.allSettled(
      sides.map((side) =>
        prepareSubjects(side, { generator, startOwn: startOf(undefined), startTrees: startOf(side.root) }),
      ),
    );
    const prepared = preparing.map((side) => {
      if (side.status === 'rejected') throw side.reason;
      return side.value;
    });
    const layers = await measureGroup('layers', prepared);
    const gate = await measureGroup('gate', prepared);
    const routes = await measureGroup('routes', prepared);
    const executions = await measureGroup('executions', prepared);
    const workers = await measureGroup('workers', prepared);
    const latency = await measureGroup('latency', prepared);
    const transports = await measureGroup('transports', prepared);
    return sides.map((_, side) => ({
      layers: layers[side] ?? [],
      gate: gate[side] ?? [],
      routes: routes[side] ?? [],
      executions: executions[side] ?? [],
      workers: workers[side] ?? [],
      latency: latency[side] ?? [],
      transports: transports[side] ?? [],
    }));
  } finally {
    for (const child of await Promise.allSettled(starting))
      if (child.status === 'fulfilled') await child.value.stop();
    for (const { stack } of sides) await clearStores(stack);
    await rm(folder, { recursive: true, force: true });
  }
}
