import { decodeOutcome, encodeOutcome } from '@fairlead/agent-channel/outcome';
import { expect, test, vi } from 'vitest';
import type { Replicas } from '../../ports/replicas.ts';
import { newAgent } from '../../testing/agents.ts';
import { taskDeps } from '../../testing/task-deps.ts';
import { ctx, stranger, useCaseDeps } from '../../testing/use-case-deps.ts';
import { runCall } from './run-call.ts';

const call = { callJson: Buffer.from('{"fields":{}}'), hasEffects: false, timeoutMs: 3_600_000 };

async function setUp(most?: number, replicas?: Replicas) {
  const { deps, create } = useCaseDeps();
  // At most `most` calls may be open.
  const tasks = taskDeps(most);
  const { id } = await create();
  const all = { ...deps, ...tasks, ...(replicas && { replicas }) };
  const run = async (o: Partial<typeof call> & { taskId?: string } = {}, by = ctx): Promise<unknown> =>
    decodeOutcome(await runCall(all, by, { ...call, connectionId: id, ...o }));
  return {
    ...tasks,
    id,
    run,
    see: (pollReplica?: string) => deps.agents.see(id, tasks.clock.now(), pollReplica),
  };
}

test('a call of an agent that is online is stored as a task and has the outcome that the agent delivers', async () => {
  const { run, see, tasks, waiting } = await setUp();
  see();
  const outcome = run();
  await vi.waitFor(() => expect(tasks.stored.size).toBe(1), 90_000);
  const [stored] = tasks.stored.values();
  expect(stored).toMatchObject({ kind: 'call', input: '{"fields":{}}', hasEffects: false });
  const delivered = { isSuccess: true, output: { rows: [] }, attempts: 1 };
  waiting.resolve(stored?.id ?? '', Buffer.from(JSON.stringify(delivered)));
  expect(await outcome).toEqual(delivered);
});

test.each([
  ['an agent that is not online', {}, false, 'Lab is WaitingForConnection. Nothing was executed'],
  ['a call that is too large', { callJson: Buffer.alloc(9 * 1024 ** 2) }, true, 'more than 8 MiB'],
  ['a call that nobody takes in time', { timeoutMs: 0, hasEffects: true }, true, 'Nothing was executed'],
])('the outcome of %s says why', async (_case, o, isSeen, text) => {
  const { run, see } = await setUp();
  if (isSeen) see();
  const outcome = await run(o);
  expect(outcome).toMatchObject({ isSuccess: false, attempts: 0 });
  expect(JSON.stringify(outcome)).toContain(text);
});

test('an agent that was deleted, or is another account’s, is named as deleted', async () => {
  const { run } = await setUp();
  expect(JSON.stringify(await run({}, stranger))).toContain('was deleted. Nothing was executed');
});

test('a call beyond the bound counts as overloaded', async () => {
  const { run, see } = await setUp(0);
  see();
  expect(await run()).toMatchObject({ isSuccess: false, isOverloaded: true });
});

test('a call for an agent that polls here is given to the poll, without a read of the agent', async () => {
  const { run, places, waiting, id, tasks, see } = await setUp();
  const session = { ...newAgent(), id, accountId: 'acc_1', instance: 'process', pollId: 'poll' };
  const poll = places.open({ session, slot: 0, check: () => Promise.resolve(session) }, () => undefined);
  // No agent is known to be online.
  const outcome = run();
  const given = await vi.waitUntil(() => [...tasks.stored.values()][0], { timeout: 90_000 });
  expect((await poll.close())?.task.id).toBe(given.id);
  const delivered = { isSuccess: true, output: { rows: [] }, attempts: 1 };
  waiting.resolve(given.id, Buffer.from(JSON.stringify(delivered)));
  expect(await outcome).toEqual(delivered);
  // The agent's slot is occupied, so the next call is queued.
  tasks.stored.set(given.id, given);
  const again = places.open({ session, slot: 0, check: () => Promise.resolve(session) }, () => undefined);
  see();
  const queued = run();
  await vi.waitFor(() => expect([...tasks.stored.values()][1]?.state).toBe('queued'), 90_000);
  expect(await again.close()).toBeUndefined();
  waiting.resolve([...tasks.stored.keys()][1] ?? '', Buffer.from(JSON.stringify(delivered)));
  expect(await queued).toEqual(delivered);
});

const elsewhere = 'http://other.test#process';
const done = { isSuccess: true, output: { rows: [] }, attempts: 1 } as const;

test('a call of an agent that polls another replica is passed on to that, once', async () => {
  const names: string[] = [];
  const { run, see, tasks, waiting } = await setUp(undefined, {
    runCall(_ctx, replica, { taskId }) {
      names.push(replica);
      expect(taskId).not.toBe('');
      return Promise.resolve({ outcome: encodeOutcome(done) });
    },
  });
  see(elsewhere);
  expect(await run()).toEqual(done);
  expect(names).toEqual([elsewhere]);
  expect(tasks.stored.size).toBe(0);
  const passedOn = run({ taskId: 'task' });
  await vi.waitFor(() => expect([...tasks.stored.keys()]).toEqual(['task']), 90_000);
  waiting.resolve('task', Buffer.from(JSON.stringify(done)));
  expect(await passedOn).toEqual(done);
  expect(names).toHaveLength(1);
});

test('a call that the other replica has not begun is queued here', async () => {
  const { run, see, tasks, waiting, passedOn } = await setUp();
  see(elsewhere);
  const outcome = run();
  const queued = await vi.waitUntil(() => [...tasks.stored.values()][0], { timeout: 90_000 });
  expect([queued.state, passedOn.length]).toEqual(['queued', 1]);
  waiting.resolve(queued.id, Buffer.from(JSON.stringify(done)));
  expect(await outcome).toEqual(done);
});

/** The other replica stores the call, unless `isStored` is false, and does not answer. */
async function setUpLost(isStored = true) {
  const replicas: Replicas = {
    async runCall(_ctx, _replica, { taskId: id }) {
      const times = { createdAt: new Date(0), deadline: new Date(0) };
      const lost = {
        ...call,
        ...times,
        id,
        kind: 'call',
        agentKey: 'agent',
        waiter: elsewhere,
        input: '{}',
      } as const;
      if (isStored) await all.tasks.insert(ctx, 'acc_1', lost, { instance: 'process', slot: 0 });
      return 'lost';
    },
  };
  const all = await setUp(undefined, replicas);
  all.see(elsewhere);
  return all;
}

test('a call whose replica is lost is not: this one waits for its result', async () => {
  const { run, tasks, waiting } = await setUpLost();
  const outcome = run({ hasEffects: true });
  const stored = await vi.waitUntil(
    () => [...tasks.stored.values()].find(({ waiter }) => waiter === 'http://replica.test'),
    { timeout: 90_000 },
  );
  expect(stored).toMatchObject({ state: 'taken', instance: 'process' });
  waiting.resolve(stored.id, Buffer.from(JSON.stringify(done)));
  expect(await outcome).toEqual(done);
  expect(tasks.stored.size).toBe(1);
});

test('the outcome of a call with effects that ended with its replica is not known', async () => {
  const { run } = await setUpLost(false);
  expect(JSON.stringify(await run({ hasEffects: true }))).toContain('The outcome is not known');
});
