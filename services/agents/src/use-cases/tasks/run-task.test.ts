import { ApiError } from '@fairlead/errors/api-error';
import { expect, test, vi } from 'vitest';
import type { AgentSession } from '../../ports/agent-sessions.ts';
import { newAgent } from '../../testing/agents.ts';
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
  await vi.waitFor(() => expect(woken).toEqual([1]), 90_000);
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

const session: AgentSession = {
  ...newAgent({ creationId: 'agent' }),
  id: 1,
  accountId: 'acc_1',
  instance: 'process',
  pollId: 'poll',
};

/** Runs the task with a claimed offer; a check of its session returns `checked`. */
function runAtPlace(checked: AgentSession | undefined) {
  const deps = taskDeps();
  const poll = deps.places.open({ session, slot: 3, check: () => Promise.resolve(checked) }, () => undefined);
  const place = deps.places.claim('acc_1', 1);
  const woken: string[] = [];
  deps.wakes.onWake('agent', () => woken.push('agent'));
  const run = () => runTask(deps, ctx, agent, task, place);
  return { ...deps, run, given: () => poll.close(), woken };
}

test('a call for an open place is stored as taken and given to its poll, which nobody has to wake', async () => {
  const { run, given, tasks, waiting, woken } = runAtPlace(session);
  const outcome = run();
  const call = await given();
  const [stored] = tasks.stored.values();
  expect(stored).toMatchObject({ state: 'taken', instance: 'process', slot: 3 });
  expect(call).toEqual({ task: stored, session });
  waiting.resolve(stored?.id ?? '', bytes);
  expect(await outcome).toMatchObject({ bytes });
  expect(woken).toEqual([]);
});

test('a call is queued if the process, the token or the poll of the place was replaced meanwhile', async () => {
  const { run, tasks, waiting, woken } = runAtPlace(undefined);
  const outcome = run();
  await vi.waitFor(() => expect(woken).toEqual(['agent']), 90_000);
  const [stored] = tasks.stored.values();
  expect(stored).toMatchObject({ state: 'queued', instance: null, slot: null });
  waiting.resolve(stored?.id ?? '', bytes);
  expect(await outcome).toMatchObject({ bytes });
});

test('nothing is stored for a place whose slot another call has', async () => {
  const { run, tasks } = runAtPlace(session);
  const other = {
    ...task,
    id: 'other',
    agentKey: 'agent',
    waiter: '',
    createdAt: new Date(),
    deadline: new Date(),
  };
  await tasks.insert(ctx, 'acc_1', other, { instance: 'process', slot: 3 });
  expect(await run()).toMatchObject({ refusal: 'occupied' });
  expect([...tasks.stored.keys()]).toEqual(['other']);
});

test.each([
  ['is cancelled', false, 'UNAVAILABLE'],
  ['has an outcome that is not known if it cannot be cancelled', true, 'TIMEOUT'],
])('a task whose store gave no answer %s: it may be there', async (_case, isAway, code) => {
  const deps = taskDeps();
  const { insert, cancel } = deps.tasks;
  const away = new ApiError('UNAVAILABLE', 'The database is away.');
  const tasks: typeof deps.tasks = {
    ...deps.tasks,
    async insert(...of) {
      await insert(...of);
      throw away;
    },
    cancel: (...of) => (isAway ? Promise.reject(away) : cancel(...of)),
  };
  await expect(runTask({ ...deps, tasks }, ctx, agent, task)).rejects.toMatchObject({ code });
  const [stored] = deps.tasks.stored.values();
  expect(stored?.end).toBe(isAway ? null : 'cancelled');
});
