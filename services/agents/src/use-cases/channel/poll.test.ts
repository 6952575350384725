import { expect, test, vi } from 'vitest';
import type { TaskWithInput } from '../../domain/task.ts';
import type { NewTask } from '../../ports/task-store.ts';
import type { AgentSession } from '../../ports/agent-sessions.ts';
import { newAgent } from '../../testing/agents.ts';
import { taskDeps } from '../../testing/task-deps.ts';
import { ctx } from '../../testing/use-case-deps.ts';
import { poll } from './poll.ts';

const session: AgentSession = {
  ...newAgent({ settings: { parallelTasks: 2, pullPeriodSeconds: 600, logLevel: 'Information' } }),
  id: 1,
  accountId: 'acc_1',
  instance: 'process',
  pollId: 'poll',
};

const given: TaskWithInput = {
  id: 'given',
  accountId: 'acc_1',
  agentKey: session.creationId,
  kind: 'call',
  hasEffects: false,
  state: 'taken',
  instance: 'process',
  slot: 0,
  createdAt: new Date(0),
  deadline: new Date(0),
  waiter: '',
  end: null,
  wasStarted: false,
  input: '{}',
};

function setUp() {
  const deps = taskDeps();
  const queue = (id: string, o: Partial<NewTask> = {}) =>
    deps.tasks.insert(ctx, 'acc_1', {
      id,
      agentKey: session.creationId,
      kind: 'call',
      hasEffects: false,
      input: '{}',
      createdAt: deps.clock.now(),
      deadline: new Date(deps.clock.now().getTime() + 60_000),
      waiter: '',
      ...o,
    });
  const run = (
    o: { freeSlots?: number; taskIds?: string[]; pollId?: string } = {},
    read: () => Promise<AgentSession> = () => Promise.resolve(session),
    signal = new AbortController().signal,
  ) => poll(deps, ctx, { freeSlots: 10, taskIds: [], pollId: 'poll', ...o }, { session: read, signal });
  const idsOf = async (result: ReturnType<typeof run>) => (await result)?.tasks.map(({ id }) => id);
  return { ...deps, queue, run, idsOf };
}

test('a poll takes the oldest calls, as many as the process has slots and its settings allow', async () => {
  const { queue, run, idsOf } = setUp();
  for (const id of ['a', 'b', 'c']) await queue(id);
  expect(await idsOf(run({ freeSlots: 1 }))).toEqual(['a']);
  expect(await idsOf(run({ taskIds: ['a'] }))).toEqual(['b']);
});

test('tasks that need no slot are taken without one', async () => {
  const { queue, run, idsOf } = setUp();
  await queue('call');
  await queue('settings', { kind: 'settings' });
  await queue('logs', { kind: 'logs' });
  expect(await idsOf(run({ freeSlots: 0 }))).toEqual(['settings', 'logs']);
});

test('a task whose answer got lost is given again; one that ended is named as cancelled', async () => {
  const { queue, run, tasks, clock } = setUp();
  await queue('lost');
  await queue('kept');
  await run({ freeSlots: 2 });
  expect((await run({ freeSlots: 1, taskIds: ['kept'] }))?.tasks.map(({ id }) => id)).toEqual(['lost']);
  await tasks.cancel(ctx, 'acc_1', 'kept', clock.now());
  const result = await run({ freeSlots: 0, taskIds: ['kept', 'lost'] });
  expect(result).toMatchObject({ tasks: [], cancelledTaskIds: ['kept'] });
});

test('a poll without tasks waits until it is woken', async () => {
  const { queue, run, wakes, idsOf } = setUp();
  const waiting = idsOf(run());
  await queue('late');
  wakes.wake();
  expect(await waiting).toEqual(['late']);
});

test('a poll ends without a task if another one began, its client has gone, or its token is worth nothing', async () => {
  const { queue, run, tasks, wakes } = setUp();
  await queue('a');
  expect(await run({ pollId: 'former' })).toBeUndefined();
  expect(await run({}, undefined, AbortSignal.abort())).toBeUndefined();
  expect(tasks.stored.get('a')?.state).toBe('queued');
  let reads = 0;
  const rotated = run({ freeSlots: 0 }, () => {
    reads += 1;
    return reads < 2 ? Promise.resolve(session) : Promise.reject(new Error('rotated'));
  });
  await new Promise(setImmediate);
  wakes.wake();
  await expect(rotated).rejects.toThrow('rotated');
});

test('a task whose client has gone while it was taken stays with the process, whose next poll gets it', async () => {
  const { queue, run, tasks, idsOf } = setUp();
  await queue('a');
  const client = new AbortController();
  const { take } = tasks;
  tasks.take = async (...of) => {
    client.abort();
    return await take(...of);
  };
  expect(await run({}, undefined, client.signal)).toBeUndefined();
  expect(tasks.stored.get('a')?.state).toBe('taken');
  expect(await idsOf(run())).toEqual(['a']);
});

test('a process that is replaced while its poll takes tasks does not get them: they are queued again', async () => {
  const { queue, run, tasks } = setUp();
  await queue('a');
  let isReplaced = false;
  const { take } = tasks;
  tasks.take = async (...of) => {
    isReplaced = true;
    return await take(...of);
  };
  const replaced = run({}, () =>
    isReplaced ? Promise.reject(new Error('replaced')) : Promise.resolve(session),
  );
  await expect(replaced).rejects.toThrow('replaced');
  expect(tasks.stored.get('a')?.state).toBe('queued');
});

test('a poll that is woken takes a call before it lists anything, and lists if there is none', async () => {
  const { queue, run, tasks, wakes, idsOf } = setUp();
  let lists = 0;
  const { listOpen } = tasks;
  tasks.listOpen = (...of) => {
    lists += 1;
    return listOpen(...of);
  };
  const waiting = run();
  await new Promise(setImmediate);
  await queue('call');
  wakes.wake();
  expect(await idsOf(waiting)).toEqual(['call']);
  expect(lists).toBe(1);
  const next = run({ taskIds: ['call'] });
  await new Promise(setImmediate);
  await queue('logs', { kind: 'logs' });
  wakes.wake();
  expect(await idsOf(next)).toEqual(['logs']);
});

test('a process that is replaced while its woken poll takes a call does not get it', async () => {
  const { queue, run, tasks, wakes } = setUp();
  let isReplaced = false;
  const replaced = run({}, () =>
    isReplaced ? Promise.reject(new Error('replaced')) : Promise.resolve(session),
  );
  await new Promise(setImmediate);
  await queue('a');
  isReplaced = true;
  wakes.wake();
  await expect(replaced).rejects.toThrow('replaced');
  expect(tasks.stored.get('a')?.state).toBe('queued');
});

test('a poll of a process that was replaced takes nothing away from the current one', async () => {
  const { queue, run, tasks, clock } = setUp();
  await queue('a');
  await tasks.take(ctx, 'acc_1', session.creationId, { instance: 'current', slot: 0, now: clock.now() });
  let reads = 0;
  const replaced = run({}, () => {
    reads += 1;
    return reads === 1 ? Promise.resolve(session) : Promise.reject(new Error('replaced'));
  });
  await expect(replaced).rejects.toThrow('replaced');
  expect(tasks.stored.get('a')).toMatchObject({ state: 'taken', instance: 'current' });
});

test('a call that an earlier process took while it was replaced is given to the current one', async () => {
  const { queue, run, tasks, clock, idsOf } = setUp();
  await queue('strayed');
  await tasks.take(ctx, 'acc_1', session.creationId, { instance: 'earlier', slot: 0, now: clock.now() });
  expect(await idsOf(run())).toEqual(['strayed']);
});

test('a poll that waits has a place for a call of this replica, which is not queued', async () => {
  const { run, places, tasks, idsOf } = setUp();
  let takes = 0;
  const { take } = tasks;
  tasks.take = (...of) => {
    takes += 1;
    return take(...of);
  };
  const waiting = idsOf(run());
  await vi.waitFor(() => expect(places.claim('acc_2', 1)).toBeUndefined(), 90_000);
  const place = await vi.waitUntil(() => places.claim('acc_1', 1), { timeout: 90_000 });
  expect(places.claim('acc_1', 1)).toBeUndefined();
  expect(await place.check()).toBe(session);
  place.leave({ task: given, session });
  expect(await waiting).toEqual(['given']);
  expect(takes).toBe(0);
});

test('a place is gone once its poll is over, has no free slot, or was replaced', async () => {
  const { run, places } = setUp();
  const client = new AbortController();
  const open = run({}, undefined, client.signal);
  await new Promise(setImmediate);
  client.abort();
  expect(await open).toBeUndefined();
  expect(places.claim('acc_1', 1)).toBeUndefined();
  void run({ freeSlots: 0 });
  await new Promise(setImmediate);
  expect(places.claim('acc_1', 1)).toBeUndefined();
  let now = session;
  void run({}, () => Promise.resolve(now));
  const place = await vi.waitUntil(() => places.claim('acc_1', 1), { timeout: 90_000 });
  now = { ...session, pollId: 'newer' };
  expect(await place.check()).toBeUndefined();
  now = { ...session, settings: { ...session.settings, parallelTasks: 0 } };
  expect(await place.check()).toBeUndefined();
});

test('a poll whose client goes while a caller has its place wakes the next one, which looks for the call', async () => {
  const { run, places, wakes } = setUp();
  const client = new AbortController();
  const open = run({}, undefined, client.signal);
  const place = await vi.waitUntil(() => places.claim('acc_1', 1), { timeout: 90_000 });
  let woken = 0;
  wakes.onWake('', () => (woken += 1));
  client.abort();
  await new Promise(setImmediate);
  place.leave({ task: given, session });
  expect(await open).toBeUndefined();
  expect(woken).toBe(1);
});

test('a poll whose place is left without a call looks again', async () => {
  const { run, places, queue, idsOf } = setUp();
  const waiting = idsOf(run());
  const place = await vi.waitUntil(() => places.claim('acc_1', 1), { timeout: 90_000 });
  await queue('queued');
  place.leave();
  expect(await waiting).toEqual(['queued']);
});
