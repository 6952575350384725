import { expect, vi } from 'vitest';
import { stack } from '../../contract/support/api.ts';
import type { Answer } from '../../contract/support/api.ts';
import type { Bystander } from './bystander.ts';
import { areFiguresMeasured } from './figures.ts';
import { serviceProcesses } from './service-processes.ts';

/**
 * CPU time of a main thread that one attacking call may take, in milliseconds: 50 on a quiet machine, doubled here, because shared cores
 * and caches double the cost. Only checked in measured runs.
 */
const CPU_MS_A_CALL = 100;
/** Concurrent attacking calls. */
const CALLERS = 4;
/** Time in which the bystander must succeed with each of its calls, on a busy machine. */
const BYSTANDER_LIMIT_MS = 120_000;

/** Maximum growth of a service's memory by a repetition of an attack. */
const GROWTH = 1.2;
const MAX_REPEATS = 3;
/** Number of bystander's calls whose CPU time is measured before the first attack. */
const MEASURED_CALLS = 100;
const MEASURE_LIMIT_MS = 120_000;

/** A call of the attacking account. */
export type AttackingCall = () => Promise<Answer>;

const processes = serviceProcesses(stack);

/**
 * Makes the attacking calls, a few at once, and returns their responses. Meanwhile others must be served; in a measured run, each service's
 * main thread must stay within its CPU time per call.
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

/** CPU time per bystander's call on each main thread, in milliseconds, without an attack. */
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
 * Repeats an attack until a repetition adds less than a fifth to every service's memory, a few times at most: an allocator takes memory
 * once, a leak takes more each time.
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

/** Runs an attack. Meanwhile no process may end, and the bystander must succeed with each of its calls. */
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
