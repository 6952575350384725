import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { jsonText } from '@fairlead/service-kit/json/lazy-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { TASKS_EXTENSION } from '../../domain/task.ts';
import type { TaskState } from '../../ports/detached-calls.ts';
import { sessionClient } from '../../testing/clients.ts';
import { MemoryTasks, task } from '../../testing/memory-tasks.ts';
import { servedServer, servedTool } from '../../testing/served.ts';
import { handleTask } from './handle-task.ts';

const served = servedServer([servedTool('echo')]);
const session = sessionClient();
const stateless = sessionClient({
  isStateless: true,
  capabilities: { extensions: { [TASKS_EXTENSION]: {} } },
});
const user = testContext();
const outcome = { kind: 'output', output: Buffer.from('{"n":1}') } as const;
const ended = { kind: 'ended', outcome, isFailed: false } as const;

function setUp(state?: TaskState, client = session, ctx: RequestContext = user) {
  const detachedCalls = new MemoryTasks();
  detachedCalls.tasks.set('call_1', task(state));
  const handle = async (method: string, params: object = { taskId: 'call_1' }): Promise<unknown> => {
    const members = new Map(
      Object.entries(params).map(([name, value]) => [name, Buffer.from(JSON.stringify(value))]),
    );
    const result = await handleTask({ detachedCalls }, ctx, served, { method, params: members }, client);
    return JSON.parse(jsonText(result));
  };
  return { handle, detachedCalls };
}

const times = { createdAt: '2026-11-29T12:00:00.000Z', lastUpdatedAt: '2026-11-29T12:00:00.000Z' };

test('a task with a handshake has its result by itself, and its members the names of that version', async () => {
  const { handle, detachedCalls } = setUp(ended);
  expect(await handle('tasks/get')).toEqual({
    taskId: 'call_1',
    status: 'completed',
    ...times,
    ttl: 3_600_000,
    pollInterval: 2_000,
  });
  expect(await handle('tasks/result')).toEqual({
    content: [{ type: 'text', text: '{"n":1}' }],
    structuredContent: { n: 1 },
    _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'call_1' } },
  });
  expect(detachedCalls.waits).toEqual([0, 300_000]);
});

test('a task whose tool failed has failed with a handshake, and its result is that of the tool', async () => {
  const failure = { kind: 'failure', errorMessage: 'It broke.' } as const;
  const { handle, detachedCalls } = setUp({ ...ended, outcome: failure, isFailed: true });
  expect(await handle('tasks/get')).toMatchObject({ status: 'failed' });
  expect(await handle('tasks/result')).toMatchObject({ isError: true });
  detachedCalls.tasks.set('call_1', task({ ...ended, outcome: undefined, isFailed: true }));
  expect(await handle('tasks/list', {})).toMatchObject({ tasks: [{ status: 'failed' }] });
});

test('a task without a handshake has its result, error or requests with it', async () => {
  const get = (state: TaskState) => setUp(state, stateless).handle('tasks/get');
  expect(await get({ kind: 'working' })).toEqual({
    taskId: 'call_1',
    status: 'working',
    ...times,
    ttlMs: 3_600_000,
    pollIntervalMs: 2_000,
  });
  expect(await get(ended)).toMatchObject({
    status: 'completed',
    result: { structuredContent: { n: 1 } },
  });
  const refusal = validationError({ field: 'fields.n', issue: 'is required' });
  expect(await get({ ...ended, outcome: refusal, isFailed: true })).toMatchObject({
    status: 'completed',
    result: { isError: true },
  });
  const failed = { ...ended, outcome: new ApiError('UNAVAILABLE', 'Away.'), isFailed: true };
  expect(await get(failed)).toMatchObject({
    status: 'failed',
    statusMessage: 'UNAVAILABLE: Away.',
    error: { code: -32_603, data: { errorCode: 'UNAVAILABLE' } },
  });
  expect(await get({ kind: 'lost' })).toMatchObject({
    status: 'failed',
    statusMessage: expect.stringContaining('unknown whether the call took effect') as unknown,
    error: { code: -32_603, data: { errorCode: 'TIMEOUT' } },
  });
  expect(await get({ kind: 'cancelled' })).not.toHaveProperty('error');
  const request = { key: 'ask_1', method: 'elicitation/create', params: Buffer.from('{"message":"Who?"}') };
  expect(await get({ kind: 'inputRequired', requests: [request] })).toMatchObject({
    status: 'input_required',
    inputRequests: { ask_1: { method: 'elicitation/create', params: { message: 'Who?' } } },
  });
});

test('the end of a task that has no result is an error', async () => {
  for (const state of [{ kind: 'cancelled' }, { kind: 'lost' }, { kind: 'working' }] as const)
    await expect(setUp(state).handle('tasks/result')).rejects.toMatchObject({ code: -32_603 });
});

test('a task is cancelled: with a handshake once, without one as often as it is said', async () => {
  const { handle } = setUp();
  expect(await handle('tasks/cancel')).toMatchObject({ taskId: 'call_1', status: 'cancelled' });
  await expect(setUp(ended).handle('tasks/cancel')).rejects.toMatchObject({
    code: -32_602,
  });
  expect(await setUp(ended, stateless).handle('tasks/cancel')).toEqual({});
});

test('answers of the client go to the task', async () => {
  const { handle, detachedCalls } = setUp(undefined, stateless);
  expect(await handle('tasks/update', { taskId: 'call_1', inputResponses: { ask_1: {} } })).toEqual({});
  expect(await handle('tasks/update')).toEqual({});
  expect(detachedCalls.answered).toEqual([['ask_1'], []]);
  await expect(handle('tasks/update', { taskId: 'call_1', inputResponses: [] })).rejects.toMatchObject({
    code: -32_602,
  });
});

test('an unknown task, and one without a name, are wrong parameters', async () => {
  for (const params of [{ taskId: 'none' }, { taskId: 7 }, {}])
    for (const [client, method] of [
      [session, 'tasks/get'],
      [session, 'tasks/result'],
      [stateless, 'tasks/cancel'],
      [stateless, 'tasks/update'],
    ] as const)
      await expect(setUp(undefined, client).handle(method, params)).rejects.toMatchObject({ code: -32_602 });
});

test('a client without a handshake has to declare that it takes tasks', async () => {
  const undeclared = sessionClient({ isStateless: true });
  await expect(setUp(undefined, undeclared).handle('tasks/get')).rejects.toMatchObject({
    code: -32_021,
    data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
  });
});

test('a user lists their tasks in pages; a client without a credential has no list', async () => {
  const { handle, detachedCalls } = setUp({ ...ended, outcome: undefined });
  for (let at = 2; at <= 51; at += 1)
    detachedCalls.tasks.set(`call_${at}`, task(undefined, { taskId: `call_${at}` }));
  const first = Object(await handle('tasks/list', {})) as { tasks: unknown[]; nextCursor: string };
  expect(first.tasks).toHaveLength(50);
  expect(first.tasks[0]).toMatchObject({ taskId: 'call_1', status: 'completed' });
  expect(await handle('tasks/list', { cursor: first.nextCursor })).toMatchObject({
    tasks: [{ taskId: 'call_51' }],
  });
  const anonymous = testContext({ caller: { kind: 'anonymousClient', accountId: 'a', serverId: 's' } });
  await expect(setUp(undefined, session, anonymous).handle('tasks/list', {})).rejects.toMatchObject({
    code: -32_601,
  });
});
