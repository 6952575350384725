import { expect, vi } from 'vitest';
import { stack } from '../../contract/support/api.ts';
import type { Answer } from '../../contract/support/api.ts';
import type { Bystander } from './bystander.ts';
import { areFiguresMeasured } from './figures.ts';
import { serviceProcesses } from './service-processes.ts';

/**
 * CPU time of a main thread that one attacking call may take, in milliseconds: 50 on a quiet machine, and twice that here,
 * because a call costs up to twice the CPU time where other processes share the core and its caches. Only measured runs
 * check it.
 */
const CPU_MS_A_CALL = 100;
/** Attacking calls that run at once. */
const CALLERS = 4;
/** How long the bystander may take to succeed with each of its calls, on a busy machine. */
const BYSTANDER_LIMIT_MS = 120_000;

/** The growth of a service's memory that a repeat of an attack may cause. */
const GROWTH = 1.2;
const MAX_REPEATS = 3;
/** Calls of the bystander whose own CPU time is measured before the first attack. */
const MEASURED_CALLS = 100;
const MEASURE_LIMIT_MS = 120_000;

/** A call of the attacking account. */
export type AttackingCall = () => Promise<Answer>;

const processes = serviceProcesses(stack);

/**
 * Makes the attacking calls, a few at once, and returns their answers. Meanwhile others are served; in a measured run, the
 * main thread of each service spends a bounded CPU time per call.
 */
export async function whileOthersAreServed(
  bystander: Bystander,
  calls: readonly AttackingCall[],
  o: { readonly callers?: number } = {},
): Promise<readonly Answer[]> {
  const attack = (): Promise<readonly Answer[]> => inTurns(calls, o.callers ?? CALLERS);
  if (!areFiguresMeasured) return othersServedDuring(bystander, attack);
  const ownMs = await costOf(bystander);
  const before = processes.mainThreadMs();
  const from = bystander.outcomes.length;
  const answers = await othersServedDuring(bystander, attack);
  const after = processes.mainThreadMs();
  const tooMuch = Object.entries(after)
    .map(([name, ms]) => {
      const bystanderMs = (ownMs[name] ?? 0) * (bystander.outcomes.length - from);
      return { name, msPerCall: (ms - (before[name] ?? 0) - bystanderMs) / calls.length };
    })
    .filter(({ msPerCall }) => msPerCall > CPU_MS_A_CALL);
  expect(tooMuch, `CPU per attacking call: ${JSON.stringify(tooMuch)}`).toEqual([]);
  return answers;
}

/** CPU time that each main thread spends per call of a bystander, in milliseconds, while nobody attacks. */
function costOf(bystander: Bystander): Promise<Readonly<Record<string, number>>> {
  const known = costs.get(bystander);
  if (known !== undefined) return known;
  const cost = measureCost(bystander);
  costs.set(bystander, cost);
  return cost;
}

const costs = new WeakMap<Bystander, Promise<Readonly<Record<string, number>>>>();

async function measureCost({ outcomes }: Bystander): Promise<Readonly<Record<string, number>>> {
  const before = processes.mainThreadMs();
  const from = outcomes.length;
  await vi.waitUntil(() => outcomes.length >= from + MEASURED_CALLS, {
    timeout: MEASURE_LIMIT_MS,
    interval: 50,
  });
  const count = outcomes.length - from;
  return Object.fromEntries(
    Object.entries(processes.mainThreadMs()).map(([name, ms]) => [name, (ms - (before[name] ?? 0)) / count]),
  );
}

/**
 * Repeats an attack until a repeat adds less than a fifth to the memory of every service, a few times at most: an allocator
 * takes memory once, a leak takes more each time.
 */
export async function expectNoGrowth(repeat: () => Promise<unknown>): Promise<void> {
  let before = await processes.settledMemory();
  for (let left = MAX_REPEATS; ; left -= 1) {
    await repeat();
    const after = await processes.settledMemory();
    const grown = Object.entries(after).filter(([name, bytes]) => bytes > GROWTH * (before[name] ?? 0));
    if (grown.length === 0) return;
    if (left === 1) expect(grown, JSON.stringify({ before, after })).toEqual([]);
    before = after;
  }
}

/** Runs an attack. Meanwhile no process ends, and the bystander succeeds with everything, each of its calls among it. */
export async function othersServedDuring<T>(bystander: Bystander, attack: () => Promise<T>): Promise<T> {
  const running = processes.running();
  const from = bystander.outcomes.length;
  const [result] = await Promise.all([attack(), bystander.untilWell(BYSTANDER_LIMIT_MS)]);
  expect(processes.running(), 'processes').toEqual(running);
  const failed = bystander.outcomes.slice(from).filter(({ status }) => status !== 200);
  expect(
    failed.map(({ route, status, body, failure }) => ({ name: route.name, status, body, failure })),
    'calls of another account',
  ).toEqual([]);
  return result;
}

async function inTurns(calls: readonly AttackingCall[], callers: number): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const left = calls.entries();
  const caller = async (): Promise<void> => {
    for (const [index, call] of left) answers[index] = await call();
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return answers;
}
