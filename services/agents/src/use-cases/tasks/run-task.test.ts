import { expect, test, vi } from 'vitest';
import { taskDeps } from '../../testing/task-deps.ts';
import { ctx } from '../../testing/use-case-deps.ts';
import { runTask } from './run-task.ts';

const agent = { creationId: 'agent', accountId: 'acc_1' };
const task = { kind: 'call', hasEffects: true, input: '{}', timeoutMs: 3_600_000 } as const;
const bytes = Buffer.from('{}');

test('a task is stored before the agent is woken, and ends with its result', async () => {
  const deps = taskDeps();
  const woken: number[] = [];
  deps.wakes.onWake('agent', () => woken.push(deps.tasks.stored.size));
  const outcome = runTask(deps, ctx, agent, task);
  await vi.waitFor(() => expect(woken).toEqual([1]), 60_000);
  const [stored] = deps.tasks.stored.values();
  expect(stored).toMatchObject({ agentKey: 'agent', waiter: 'http://replica.test', state: 'queued' });
  deps.waiting.resolve(stored?.id ?? '', bytes);
  expect(await outcome).toEqual({ id: stored?.id, bytes });
  expect(deps.results.size).toBe(0);
});

test('a task whose time is over, or whose caller has gone, is cancelled', async () => {
  const deps = taskDeps();
  const late = await runTask(deps, ctx, agent, { ...task, timeoutMs: 0 });
  expect(late).toMatchObject({ ended: { state: 'queued', hasEffects: true } });
  const gone = await runTask(deps, { ...ctx, signal: AbortSignal.abort() }, agent, task);
  expect(gone).toMatchObject({ ended: { state: 'queued' } });
  expect([...deps.tasks.stored.values()].map(({ end }) => end)).toEqual(['cancelled', 'cancelled']);
});

test('a result that is stored while the time ends is still the result', async () => {
  const deps = taskDeps();
  const cancel: typeof deps.tasks.cancel = (_ctx, _accountId, id) => {
    deps.waiting.resolve(id, bytes);
    return Promise.resolve(undefined);
  };
  const late = await runTask({ ...deps, tasks: { ...deps.tasks, cancel } }, ctx, agent, {
    ...task,
    timeoutMs: 0,
  });
  expect(late).toMatchObject({ bytes });
});

test('a task beyond the bound is not stored', async () => {
  const deps = taskDeps(0);
  expect(await runTask(deps, ctx, agent, task)).toMatchObject({ refusal: 'full' });
  expect(deps.tasks.stored.size).toBe(0);
});
