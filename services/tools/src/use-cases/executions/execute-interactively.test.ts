import type { ToolCall, CallOptions, ToolOutcome } from '@fairlead/connector-runtime/call';
import type { ClientDescription } from '@fairlead/connector-runtime/mcp/calling-client';
import { expect, test } from 'vitest';
import { workflowDeps } from '../../testing/memory-workflows.ts';
import { toolRequest } from '../../testing/tool-calls.ts';
import { executeInteractively } from './execute-interactively.ts';

const CLIENT: ClientDescription = {
  capabilities: { roots: {} },
  wantsProgress: true,
  takesInputRequired: false,
};
const DONE: ToolOutcome = { isSuccess: true, output: {}, attempts: 1 };

/** A call of a tool whose server has this conversation with the client, and the opened requests. */
function call(
  speak: (client: NonNullable<CallOptions['client']>) => Promise<unknown>,
  { workflowToken }: { workflowToken?: string } = {},
) {
  const { ctx, deps } = workflowDeps();
  const opened: AbortSignal[] = [];
  const principals: unknown[] = [];
  const times: unknown[] = [];
  const runtime = {
    ...deps.runtime,
    async execute(_call: ToolCall, { client, answerMs }: CallOptions): Promise<ToolOutcome> {
      times.push(answerMs);
      principals.push(client?.principal);
      if (client !== undefined) await speak(client);
      return DONE;
    },
  };
  const clientRequests = {
    open(_caller: string, signal: AbortSignal) {
      opened.push(signal);
      return { key: `ask_${opened.length}`, answer: Promise.resolve({ roots: [] }) };
    },
  };
  const request = { ...toolRequest(), workflowToken };
  const messages = executeInteractively({ ...deps, runtime, clientRequests }, ctx, request, CLIENT);
  return { ctx, timeoutMs: deps.timeoutMs, messages, opened, principals, times };
}

async function readAll<T>(messages: AsyncIterable<T>): Promise<readonly T[]> {
  const read: T[] = [];
  for await (const message of messages) read.push(message);
  return read;
}

test('what the server says while the tool runs comes before the result, and its requests end with the call', async () => {
  const answers: unknown[] = [];
  const { ctx, messages, opened, principals } = call(async (client) => {
    client.notify('notifications/progress', { progress: 1 });
    answers.push(await client.request('roots/list', { a: 1 }));
  });
  expect(await readAll(messages)).toMatchObject([
    { kind: 'notification', method: 'notifications/progress', params: { progress: 1 } },
    { kind: 'request', key: 'ask_1', method: 'roots/list', params: { a: 1 } },
    { kind: 'result', result: { outcome: { isSuccess: true } } },
  ]);
  expect(answers).toEqual([{ roots: [] }]);
  expect(opened.map(({ aborted }) => aborted)).toEqual([true]);
  expect(principals).toEqual([ctx.caller.kind === 'user' ? ctx.caller.userId : '']);
});

test('the client has ten minutes to answer, less the time of the call itself', async () => {
  const { messages, times, timeoutMs } = call(() => Promise.resolve());
  await readAll(messages);
  expect(times).toEqual([600_000 - timeoutMs]);
});

test('a refusal is thrown, and nothing comes before it', async () => {
  const { messages } = call(() => Promise.resolve(), { workflowToken: 'wf_unknown' });
  await expect(readAll(messages)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
