import type { JsonObject } from '@fairlead/connector-model/json';
import { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { CallFailure } from '../failure.ts';
import { forwardedCapabilities, TASKS_EXTENSION } from './calling-client.ts';
import type { CallingClient } from './calling-client.ts';
import { Conversation } from './conversation.ts';
import { followTask, isTask } from './upstream-task.ts';

const task = { resultType: 'task', taskId: 't1', status: 'working' };

/** A session whose server answers each poll of the task in turn, and repeats the last answer. */
function sessionOf(looks: readonly JsonObject[], client: Partial<CallingClient> = {}) {
  const sent: [string, JsonObject][] = [];
  const notified: string[] = [];
  const stop = new AbortController();
  let at = 0;
  const session = {
    client: new Client({ name: 'test', version: '1' }),
    options: { signal: stop.signal },
    setAsideContent: () => () => undefined,
    conversation: new Conversation({
      capabilities: { elicitation: {} },
      wantsProgress: false,
      takesInputRequired: false,
      notify: (method) => void notified.push(method),
      request: () => Promise.resolve({ action: 'accept' }),
      ...client,
    }),
    sendAside(method: string, params: JsonObject): Promise<JsonObject> {
      sent.push([method, params]);
      if (method !== 'tasks/get') return Promise.resolve({ result: { resultType: 'complete' } });
      const look = looks[Math.min(at, looks.length - 1)] ?? {};
      at += 1;
      return Promise.resolve('error' in look && !('status' in look) ? look : { result: look });
    },
  };
  return { session, sent, notified, stop };
}

const working = { status: 'working' };

test('a server is told that the client takes tasks, and of no other extension', () => {
  const taking = { extensions: { [TASKS_EXTENSION]: { a: 1 }, other: {} } };
  expect(forwardedCapabilities(taking)).toEqual({ extensions: { [TASKS_EXTENSION]: {} } });
  expect(forwardedCapabilities({ extensions: { other: {} } })).toEqual({});
});

test('a result is a task if it says so and names it', () => {
  expect(isTask(task)).toBe(true);
  for (const result of [undefined, {}, { resultType: 'task' }, { resultType: 'complete', taskId: 't1' }])
    expect(isTask(result)).toBe(false);
});

test('a task is followed to its result, and the caller is told that it is one', async () => {
  const { session, sent, notified } = sessionOf([working, { status: 'completed', result: { content: [] } }]);
  expect(await followTask(session, task)).toEqual({ content: [] });
  expect(notified).toEqual(['notifications/tasks']);
  expect(sent.map(([method]) => method)).toEqual(['tasks/get', 'tasks/get']);
});

test('each request of a task goes to the client once, and its answer to the server', async () => {
  const asking = {
    status: 'input_required',
    inputRequests: { a: { method: 'elicitation/create', params: { message: 'Who?' } } },
  };
  const asked: JsonObject[] = [];
  const { session, sent } = sessionOf([asking, asking, { status: 'completed', result: {} }], {
    request(_method, params) {
      asked.push(params);
      return Promise.resolve({ action: 'accept' });
    },
  });
  await followTask(session, task);
  expect(asked).toEqual([{ message: 'Who?' }]);
  const updates = sent.filter(([method]) => method === 'tasks/update');
  expect(updates).toEqual([['tasks/update', { taskId: 't1', inputResponses: { a: { action: 'accept' } } }]]);
});

test('a task that fails is the error of the server, one that was cancelled a failure', async () => {
  const error = { code: -32_000, message: 'It broke.', data: { a: 1 } };
  const failed = sessionOf([{ status: 'failed', error }]);
  await expect(followTask(failed.session, task)).rejects.toMatchObject({ mcpError: error });
  const cancelled = sessionOf([{ status: 'cancelled' }]);
  await expect(followTask(cancelled.session, task)).rejects.toThrow(CallFailure);
  const refused = sessionOf([{ error }]);
  await expect(followTask(refused.session, task)).rejects.toMatchObject({ mcpError: error });
});

test('a call that ends first cancels the task', async () => {
  const { session, sent, stop } = sessionOf([working]);
  const following = followTask(session, task);
  stop.abort(new Error('stopped'));
  await expect(following).rejects.toThrow('aborted');
  expect(sent.at(-1)).toEqual(['tasks/cancel', { taskId: 't1' }]);
});
