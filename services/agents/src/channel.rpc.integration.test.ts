import { MAX_OUTCOME_BYTES } from '@fairlead/agent-channel/channel';
import { decodeOutcome } from '@fairlead/agent-channel/outcome';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import { AgentStatus } from '@fairlead/contracts/agents/v1/agent_pb';
import { AgentService } from '@fairlead/contracts/agents/v1/agent_service_pb';
import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { TaskService } from '@fairlead/contracts/agents/v1/task_service_pb';
import { eraseAll, exportAll } from '@fairlead/service-kit/testing/account-data';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { taskCollection } from './storage/task.collection.ts';
import { createTestAgent, startOwnAgents } from './testing/own-neighbours.ts';
import type { TestAgents } from './testing/start-agents.ts';

const success = { isSuccess: true, output: { rows: [1] }, attempts: 1 };

let service: TestAgents;
let second: Awaited<ReturnType<TestAgents['replica']>>;
let third: Awaited<ReturnType<TestAgents['replica']>>;
beforeAll(async () => {
  service = await startOwnAgents({ mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') });
  second = await service.replica();
  third = await service.replica();
});
afterAll(async () => {
  await third.close();
  await second.close();
  await service.close();
});

/** Runs a call as the tools service does; returns its outcome. */
async function run(
  accountId: string,
  connectionId: number,
  o: { hasEffects?: boolean; timeoutMs?: number; signal?: AbortSignal; by?: Pick<TestAgents, 'client'> } = {},
): Promise<ToolOutcome> {
  const { by = service, hasEffects = false, timeoutMs = 120_000, signal } = o;
  const call = { connectionId, callJson: Buffer.from('{"fields":{}}'), hasEffects, timeoutMs };
  const caller = { kind: 'serviceForAccount', service: 'tools', accountId } as const;
  const ctx = { ...testContext({ caller }), ...(signal && { signal }) };
  const { outcomeJson } = await by.client(TaskService).runCall(ctx, call, { timeoutMs: 130_000 });
  return decodeOutcome(outcomeJson);
}

async function online(accountId: string, o: { parallelTasks?: number } = {}) {
  const { parallelTasks } = o;
  const created = await createTestAgent(service, accountId, {
    ...(parallelTasks !== undefined && { parallelTasks: { value: parallelTasks } }),
  });
  const agent = service.agent(created.token);
  expect((await agent.hello()).status).toBe(200);
  return { ...created, agent };
}

/** The message of a call that failed. */
const textOf = (outcome: ToolOutcome): string => (outcome.isSuccess ? 'success' : outcome.errorMessage);

const openTasks = async (accountId: string) =>
  await service.db.collection(taskCollection.name).countDocuments({ accountId, state: { $ne: 'ended' } });

test('a call runs at its agent, whichever replicas wait, poll and receive', async () => {
  const { id, token, agent } = await online('calls');
  const outcomes = [service, second, third].map((by) => run('calls', id, { by }));
  const elsewhere = second.agent(token);
  const first = await agent.take({ freeSlots: 1 });
  expect(first).toMatchObject({ kind: 'call', hasEffects: false, release: '0.1.0' });
  expect(first.kind === 'call' && Buffer.from(first.call).toString()).toBe('{"fields":{}}');
  expect(await agent.deliver(first.id, success)).toBe(204);
  await elsewhere.hello();
  for (const _ of [service, second]) {
    const { id: taskId } = await elsewhere.take({ freeSlots: 1 });
    expect(await elsewhere.deliver(taskId, success)).toBe(204);
  }
  expect(await Promise.all(outcomes)).toEqual([success, success, success]);
  expect(await openTasks('calls')).toBe(0);
});

test('a call waits in the replica that its agent polls, whichever got it', async () => {
  const accountId = 'waiting-poll';
  const { id, agent } = await online(accountId);
  const tasks = service.db.collection<{ _id: string; waiter: string }>(taskCollection.name);
  const waiterOf = async (by: Pick<TestAgents, 'client'>): Promise<string | undefined> => {
    const outcome = run(accountId, id, { by });
    const { id: taskId } = await agent.take();
    const stored = await tasks.findOne({ _id: taskId });
    expect(await agent.deliver(taskId, success)).toBe(204);
    expect(await outcome).toEqual(success);
    return stored?.waiter;
  };
  const here = await waiterOf(service);
  // Calls read with majority concern.
  const agents = service.db.collection('agents', { readConcern: 'majority' });
  const polled = { accountId, pollReplica: here };
  await vi.waitFor(async () => expect(await agents.findOne(polled)).not.toBeNull(), 90_000);
  expect([await waiterOf(second), await waiterOf(third)]).toEqual([here, here]);
  expect(await openTasks(accountId)).toBe(0);
});

test('an agent that is not online, or was deleted, executes nothing', async () => {
  const { id } = await createTestAgent(service, 'away');
  expect(textOf(await run('away', id))).toContain('WaitingForConnection');
  await service.client(AgentService).deleteAgent(testContext({ accountId: 'away' }), { id });
  expect(textOf(await run('away', id))).toContain('was deleted');
  expect(await openTasks('away')).toBe(0);
});

test('a task that was taken and whose answer got lost is sent again; one in hand is not', async () => {
  const { id, agent } = await online('lost');
  const outcome = run('lost', id);
  const { id: taskId } = await agent.take();
  expect((await agent.take()).id).toBe(taskId);
  const others = agent.poll({ taskIds: [taskId] });
  expect(await agent.deliver(taskId, success)).toBe(204);
  await outcome;
  expect((await others)?.tasks ?? []).toEqual([]);
});

test('a call with effects runs after its start only, which the same process may repeat', async () => {
  const { id, agent } = await online('effects');
  const outcome = run('effects', id, { hasEffects: true });
  const { id: taskId, hasEffects } = await agent.take();
  expect(hasEffects).toBe(true);
  expect(await agent.deliver(taskId, success)).toBe(410);
  expect([await agent.start(taskId), await agent.start(taskId)]).toEqual([204, 204]);
  expect(await agent.deliver(taskId, success)).toBe(204);
  expect(await outcome).toEqual(success);
  expect(await agent.start(taskId)).toBe(410);
});

test('a call whose caller has gone, or whose time is over, is cancelled at the agent and never begun', async () => {
  const { id, agent } = await online('cancelled');
  const caller = new AbortController();
  const gone = run('cancelled', id, { hasEffects: true, signal: caller.signal });
  const task = await agent.take();
  const next = agent.poll({ freeSlots: 0, taskIds: [task.id] });
  caller.abort();
  await expect(gone).rejects.toThrow(/./);
  expect((await next)?.cancelledTaskIds).toEqual([task.id]);
  expect(await agent.start(task.id)).toBe(410);
  const late = await run('cancelled', id, { hasEffects: true, timeoutMs: 1 });
  expect(textOf(late)).toContain('Nothing was executed');
  expect((await agent.poll({ taskIds: [] }))?.tasks ?? []).toEqual([]);
  expect(await openTasks('cancelled')).toBe(0);
});

test('a newer process takes over: reads run there, and the outcome of effects under way is not known', async () => {
  const { id, token, agent } = await online('replaced');
  const effects = run('replaced', id, { hasEffects: true });
  const effectsTask = await agent.take();
  await agent.start(effectsTask.id);
  const read = run('replaced', id);
  const readTask = await agent.take({ taskIds: [effectsTask.id] });
  const newer = service.agent(token);
  await newer.hello();
  expect(textOf(await effects)).toContain('The outcome is not known');
  const polled = await agent.send('POST', '/poll', { json: { freeSlots: 1, taskIds: [] } });
  expect([polled.status, await polled.json()]).toMatchObject([409, { errorCode: 'AGENT_REPLACED' }]);
  expect(await agent.deliver(readTask.id, success)).toBe(409);
  expect((await newer.take()).id).toBe(readTask.id);
  expect(await newer.deliver(readTask.id, success)).toBe(204);
  expect(await read).toEqual(success);
  expect(await newer.deliver(effectsTask.id, success)).toBe(410);
});

test('a goodbye has the agent offline at once; a rotated token ends its polls', async () => {
  const { id, token, agent } = await online('left');
  const ctx = testContext({ accountId: 'left' });
  const agents = service.client(AgentService);
  const status = async () => (await agents.getAgent(ctx, { id })).agent?.status;
  expect(await status()).toBe(AgentStatus.ONLINE);
  expect((await agent.send('POST', '/goodbye')).status).toBe(204);
  expect(await status()).toBe(AgentStatus.OFFLINE);
  const restarted = service.agent(token);
  await restarted.hello();
  expect(await status()).toBe(AgentStatus.ONLINE);
  const open = restarted.send('POST', '/poll', { json: { freeSlots: 1, taskIds: [] } });
  await vi.waitFor(async () => {
    const polling = await service.db.collection('agents').findOne({ accountId: 'left' });
    expect(polling?.['pollId']).not.toBeNull();
  }, 90_000);
  await agents.rotateToken(ctx, { id });
  expect((await open).status).toBe(401);
  expect(await status()).toBe(AgentStatus.OFFLINE);
  expect((await restarted.hello()).status).toBe(401);
});

test('results of others, replayed ones, late tokens and large bodies are refused, and change nothing', async () => {
  const { id, token, agent } = await online('refused');
  const stranger = await online('stranger');
  const outcome = run('refused', id);
  const { id: taskId } = await agent.take();
  expect(await stranger.agent.deliver(taskId, { ...success, output: { stolen: true } })).toBe(404);
  expect(await stranger.agent.start(taskId)).toBe(404);
  const large = new ReadableStream({
    pull: (controller) => controller.enqueue(Buffer.alloc(64 * 1024, 0x20)),
  });
  for (const body of [large, `"${'x'.repeat(MAX_OUTCOME_BYTES)}"`]) {
    const sent = agent.send('PUT', `/tasks/${taskId}/result`, {
      body,
      headers: { 'content-type': 'application/json' },
    });
    // The server closes the connection while the body is still being sent, which may hide the response.
    expect([413, 'cut']).toContain(await sent.then(({ status }) => status).catch(() => 'cut'));
  }
  expect(await agent.deliver(taskId, success)).toBe(204);
  expect(await agent.deliver(taskId, success)).toBe(410);
  expect(await outcome).toEqual(success);

  const later = run('refused', id, { by: second });
  const { id: laterId } = await agent.take();
  const pieces = Promise.withResolvers<void>();
  const half = new ReadableStream({
    async start(controller) {
      controller.enqueue(Buffer.from('{"isSuccess":true,"attempts":1,'));
      await pieces.promise;
      controller.enqueue(Buffer.from('"output":{}}'));
      controller.close();
    },
  });
  const upload = agent.send('PUT', `/tasks/${laterId}/result`, {
    body: half,
    headers: { 'content-type': 'application/json' },
  });
  const ctx = testContext({ accountId: 'refused' });
  const rotated = await service.client(AgentService).rotateToken(ctx, { id });
  expect(rotated.token).not.toBe(token);
  pieces.resolve();
  expect((await upload).status).toBe(401);
  const renewed = service.agent(rotated.token);
  await renewed.hello();
  expect((await renewed.take()).id).toBe(laterId);
  expect(await renewed.deliver(laterId, success)).toBe(204);
  expect(await later).toEqual(success);
});

test('100 calls on three replicas run three at a time at most', async () => {
  const accountId = 'bounded';
  const { id, token, agent } = await online(accountId, { parallelTasks: 3 });
  const places = [service, second, third];
  const outcomes = Array.from({ length: 100 }, (_, at) =>
    run(accountId, id, { ...(at % 3 === 1 && { by: second }), ...(at % 3 === 2 && { by: third }) }),
  );
  const inHand = new Set<string>();
  let most = 0;
  let finished = 0;
  while (finished < 100) {
    const via = places[finished % places.length] ?? service;
    // Asks for more than the agent's limit.
    const answer = await via.agent(token, agent.instance).poll({ freeSlots: 50, taskIds: [...inHand] });
    for (const { id: taskId } of answer?.tasks ?? []) inHand.add(taskId);
    most = Math.max(most, inHand.size);
    const [next] = inHand;
    if (next === undefined) continue;
    expect(await agent.deliver(next, success)).toBe(204);
    inHand.delete(next);
    finished += 1;
  }
  expect(most).toBe(3);
  expect(new Set(await Promise.all(outcomes))).toHaveLength(100);
  expect(await openTasks(accountId)).toBe(0);
});

test('a task whose replica was restarted frees its slot with its result; one without a replica is ended by the sweep', async () => {
  const accountId = 'restarted';
  const { id, agent } = await online(accountId, { parallelTasks: 1 });
  const outcome = run(accountId, id);
  const first = await agent.take();
  const tasks = service.db.collection<{ _id: string; accountId: string; deadline: Date; input: null }>(
    taskCollection.name,
  );
  const [stored] = await tasks.find({ accountId }).toArray();
  if (stored === undefined) throw new Error('The task is not stored.');
  expect(await agent.deliver(first.id, success)).toBe(204);
  expect(await outcome).toEqual(success);
  // Nobody waits for this task. An input can be opened only as its own task's.
  await tasks.insertOne({ ...stored, _id: 'restarted-task', input: null });
  expect((await agent.take()).id).toBe('restarted-task');
  expect(await agent.deliver('restarted-task', success)).toBe(410);
  expect(await openTasks(accountId)).toBe(0);
  await tasks.insertOne({ ...stored, _id: 'abandoned-task', input: null, deadline: new Date(0) });
  await vi.waitFor(async () => expect(await openTasks(accountId)).toBe(0), 90_000);
  expect(await agent.deliver('abandoned-task', success)).toBe(410);
});

test('a call whose stored input was changed fails alone', async () => {
  const accountId = 'unreadable';
  const { id, agent } = await online(accountId);
  const tasks = service.db.collection<{ accountId: string; input: unknown }>(taskCollection.name);
  const outcome = run(accountId, id);
  await vi.waitFor(async () => expect(await openTasks(accountId)).toBe(1), 90_000);
  const other = await online('unreadable-too');
  const foreign = run('unreadable-too', other.id);
  await vi.waitFor(async () => expect(await openTasks('unreadable-too')).toBe(1), 90_000);
  const { input } = (await tasks.findOne({ accountId: 'unreadable-too' })) ?? {};
  if (input === undefined) throw new Error('The task has no input.');
  await tasks.updateOne({ accountId }, { $set: { input } });
  const next = run(accountId, id);
  await vi.waitFor(async () => expect(await openTasks(accountId)).toBe(2), 90_000);
  const task = await agent.take();
  expect(textOf(await outcome)).toContain('The stored input of the call cannot be read any more');
  expect(await agent.deliver(task.id, success)).toBe(204);
  expect(await next).toEqual(success);
  const { id: foreignId } = await other.agent.take();
  expect(await other.agent.deliver(foreignId, success)).toBe(204);
  expect(await foreign).toEqual(success);
});

test('tasks are exported without their inputs, and erased with their account', async () => {
  const accountId = 'exported-tasks';
  const { id, agent } = await online(accountId);
  const outcome = run(accountId, id, { hasEffects: true });
  const { id: taskId } = await agent.take();
  const data = service.client(AccountDataService);
  // An export reads with majority concern, which sees a new task a little later.
  await expect
    .poll(() => exportAll(data, accountId), { timeout: 90_000 })
    .toMatchObject({ agentTasks: [{ id: taskId, kind: 'call' }] });
  expect(JSON.stringify(await exportAll(data, accountId))).not.toContain('fields');
  await agent.start(taskId);
  expect(await agent.deliver(taskId, success)).toBe(204);
  await outcome;
  await eraseAll(data, accountId);
  expect(await service.db.collection(taskCollection.name).countDocuments({ accountId })).toBe(0);
});

test('a download whose collecting replica is gone has the logs collected anew', async () => {
  const accountId = 'logs';
  const { id, agent } = await online(accountId);
  const { agent: stranger } = await online('logs-of-others');
  const upload = { body: 'archive', headers: { 'content-type': 'application/zip' } };
  const download = async (): Promise<string> => {
    const answer = service.logs(accountId, id);
    const { id: taskId } = await agent.take({ freeSlots: 0 });
    expect((await stranger.send('PUT', `/tasks/${taskId}/result`, upload)).status).toBe(404);
    expect((await agent.send('PUT', `/tasks/${taskId}/result`, upload)).status).toBe(204);
    return await (await answer).text();
  };
  expect(await download()).toBe('archive');
  const tasks = service.db.collection<{ _id: string; accountId: string; waiter: string }>(
    taskCollection.name,
  );
  const [stored] = await tasks.find({ accountId }).toArray();
  if (stored === undefined) throw new Error('The task is not stored.');
  const state = { state: 'started', isJoinable: true, expireAt: null, instance: 'gone' };
  const [address = ''] = stored.waiter.split('#');
  for (const waiter of ['http://127.0.0.1:1#other', `${address}#before-its-restart`]) {
    await tasks.insertOne({ ...stored, ...state, _id: waiter, waiter });
    expect(await download()).toBe('archive');
  }
  expect(await openTasks(accountId)).toBe(0);
});
