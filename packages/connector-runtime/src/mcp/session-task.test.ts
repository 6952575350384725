import type { JsonObject } from '@fairlead/connector-model/json';
import { Client } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { CallFailure } from '../failure.ts';
import {
  testCall,
  testConnector,
  testCredential,
  testMethod,
  testOptions,
  testTool,
} from '../testing/calls.ts';
import { mcpResult, startTestMcpServer } from '../testing/mcp-server.ts';
import { testWorkerRuntime } from '../testing/worker-runtime.ts';
import { runTask } from './session-task.ts';

const runtime = testWorkerRuntime();
const task = { taskId: 't1', status: 'working', pollInterval: 1 };

/** A session whose server sends these responses in turn. */
function sessionOf(responses: readonly JsonObject[]) {
  const sent: [string, JsonObject][] = [];
  const stop = new AbortController();
  const left = [...responses];
  const session = {
    client: new Client({ name: 'test', version: '1' }),
    options: { signal: stop.signal },
    setAsideContent: () => () => undefined,
    conversation: undefined,
    sendAside(method: string, params: JsonObject): Promise<JsonObject> {
      sent.push([method, params]);
      return Promise.resolve(left.shift() ?? { result: {} });
    },
  };
  return { session, sent, stop };
}

const PARAMS = { name: 'slow', arguments: { a: 1 } };

test('a task is looked at until it has ended', async () => {
  const { session, sent } = sessionOf([
    { result: { task } },
    { result: task },
    { result: { ...task, status: 'completed' } },
    { result: { content: [], a: 1 } },
  ]);
  expect(await runTask(session, PARAMS)).toEqual({ content: [], a: 1 });
  const named = { taskId: 't1' };
  expect(sent).toEqual([
    ['tools/call', { ...PARAMS, task: { ttl: 900_000 } }],
    ['tasks/get', named],
    ['tasks/get', named],
    ['tasks/result', named],
  ]);
});

test('a server that answers at once has made no task', async () => {
  const { session, sent } = sessionOf([{ result: { content: [], a: 1 } }]);
  expect(await runTask(session, PARAMS)).toEqual({ content: [], a: 1 });
  expect(sent).toHaveLength(1);
});

test('an error of the server is thrown with its code, a cancelled task is a failure', async () => {
  const error = { code: -32_602, message: 'No such tool.', data: { a: 1 } };
  await expect(runTask(sessionOf([{ error }]).session, PARAMS)).rejects.toMatchObject(error);
  const cancelled = sessionOf([{ result: { task: { ...task, status: 'cancelled' } } }]);
  await expect(runTask(cancelled.session, PARAMS)).rejects.toThrow(CallFailure);
  const failed = sessionOf([{ result: { task: { ...task, status: 'failed' } } }, { error }]);
  await expect(runTask(failed.session, PARAMS)).rejects.toMatchObject(error);
});

test('a call that ends first cancels the task', async () => {
  const { session, sent, stop } = sessionOf([{ result: { task: { ...task, pollInterval: 5_000 } } }]);
  const running = runTask(session, PARAMS);
  stop.abort(new Error('stopped'));
  await expect(running).rejects.toThrow('aborted');
  expect(sent.at(-1)).toEqual(['tasks/cancel', { taskId: 't1' }]);
});

test('the server gets the cancellation of a task whose call was cancelled', async () => {
  const server = await startTestMcpServer(({ id, method }) => ({
    body: mcpResult(id, method === 'tools/call' ? { task } : task),
  }));
  onTestFinished(() => server.close());
  const methods = () => server.received.map(({ method }) => method);
  const caller = new AbortController();
  const call = testCall(testTool({ type: 'mcp', toolName: 'slow', isTask: true }), {
    connector: testConnector({ slug: 'mcp', kind: 'MCPClient' }),
    method: testMethod(),
    credential: testCredential({ serverUrl: server.url }),
  });
  const running = runtime.execute(call, testOptions({ connectionId: 7, signal: caller.signal }));
  await expect.poll(methods, { timeout: 90_000 }).toContain('tasks/get');
  caller.abort();
  expect(await running).toMatchObject({ isSuccess: false });
  await expect.poll(methods, { timeout: 90_000 }).toContain('tasks/cancel');
});
