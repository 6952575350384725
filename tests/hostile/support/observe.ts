import { expect } from 'vitest';
import { stack } from '../../contract/support/api.ts';
import type { Answer } from '../../contract/support/api.ts';
import type { Bystander } from './bystander.ts';
import { serviceProcesses } from './service-processes.ts';

/** CPU time of a main thread that one attacking call may take, in milliseconds, together with the bystander's calls. */
const CPU_MS_A_CALL = 50;
/** Attacking calls that run at once. */
const CALLERS = 4;
/** How long the bystander may take to succeed with each of its calls, on a busy machine. */
const BYSTANDER_LIMIT_MS = 60_000;

/** A call of the attacking account. */
export type AttackingCall = () => Promise<Answer>;

export const processes = serviceProcesses(stack);

/**
 * Makes the attacking calls, a few at once, and returns their answers. Meanwhile others are served, and the main thread of
 * each service spends at most 50 ms per call.
 */
export async function whileOthersAreServed(
  bystander: Bystander,
  calls: readonly AttackingCall[],
  o: { readonly callers?: number } = {},
): Promise<readonly Answer[]> {
  const before = processes.mainThreadMs();
  const answers = await othersServedDuring(bystander, () => inTurns(calls, o.callers ?? CALLERS));
  const after = processes.mainThreadMs();
  const tooMuch = Object.entries(after)
    .map(([name, ms]) => [name, (ms - (before[name] ?? 0)) / calls.length] as const)
    .filter(([, ms]) => ms > CPU_MS_A_CALL);
  expect(tooMuch, 'milliseconds of CPU per attacking call').toEqual([]);
  return answers;
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
