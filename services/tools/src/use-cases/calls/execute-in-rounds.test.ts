import type { CallOptions, ToolCall } from '@fairlead/connector-runtime/call';
import type { ClientDescription } from '@fairlead/connector-runtime/mcp/calling-client';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { systemTimers } from '@fairlead/service-kit/timers';
import { expect, onTestFinished, test } from 'vitest';
import { OpenRequests } from '../../client-requests/open-requests.ts';
import { HeldRunningCalls } from '../../detached-calls/running-calls.ts';
import { stateOfCall } from '../../domain/call-round.ts';
import type { ClientAnswer } from '../../ports/client-requests.ts';
import { MemoryCalls } from '../../testing/memory-calls.ts';
import { workflowDeps } from '../../testing/memory-workflows.ts';
import { toolRequest } from '../../testing/tool-calls.ts';
import { executeInRounds } from './execute-in-rounds.ts';
import type { CallRound } from './run-in-rounds.ts';

const CLIENT: ClientDescription = {
  capabilities: { elicitation: {} },
  wantsProgress: true,
  takesInputRequired: true,
};

/** Calls of a tool whose server speaks with the client in this way. */
function setUp(speak: (client: NonNullable<CallOptions['client']>) => Promise<unknown>) {
  const { ctx, deps } = workflowDeps();
  const detachedCalls = new MemoryCalls();
  const open = new OpenRequests();
  const clientRequests = {
    open: (caller: string, signal: AbortSignal) => open.open(caller, signal),
    answer(caller: string, key: string, answer: ClientAnswer) {
      open.take(caller, key, answer);
      return Promise.resolve();
    },
  };
  const watches: (() => void)[] = [];
  const callChanges = {
    announce: () => {
      for (const wake of watches) wake();
    },
    watch() {
      const { promise, resolve } = Promise.withResolvers<void>();
      watches.push(resolve);
      return { changed: () => promise, end: () => undefined };
    },
  };
  const log = createLogger({ service: 'test', level: 'silent' });
  const runningCalls = new HeldRunningCalls({
    calls: detachedCalls,
    changes: callChanges,
    timers: systemTimers,
    log,
    graceMs: 0,
  });
  onTestFinished(() => runningCalls.close());
  const runtime = {
    ...deps.runtime,
    async execute(_call: ToolCall, { client }: CallOptions) {
      if (client !== undefined) await speak(client);
      return { isSuccess: true as const, output: {}, attempts: 1 };
    },
  };
  const all = { ...deps, runtime, clientRequests, detachedCalls, runningCalls, callChanges };
  const round = async (o: Partial<ClientDescription> = {}) => {
    const read: unknown[] = [];
    const description = { ...CLIENT, ...o };
    for await (const message of executeInRounds(all, ctx, toolRequest(), description, () => ({
      outcome: Buffer.from('done'),
      isFailed: false,
    })))
      read.push(message);
    return read;
  };
  return { round, detachedCalls };
}

test('a call that asks nothing has its notifications and its result, and is not stored', async () => {
  const { round, detachedCalls } = setUp((client) => {
    client.notify('notifications/progress', { progress: 1 });
    return Promise.resolve();
  });
  expect(await round()).toMatchObject([
    { kind: 'notification', method: 'notifications/progress' },
    { kind: 'result', result: { outcome: { isSuccess: true } } },
  ]);
  expect(detachedCalls.calls.size).toBe(0);
});

test('each question ends a round; the answers go on with the call, to its outcome', async () => {
  const answers: unknown[] = [];
  const { round } = setUp(async (client) => {
    for (const message of ['one', 'two'])
      answers.push(await client.request('elicitation/create', { message }));
  });
  const [first] = (await round()) as [CallRound];
  expect(first.call.requests).toMatchObject([{ method: 'elicitation/create', params: '{"message":"one"}' }]);
  const requestState = stateOfCall(first.call.callId);
  const answerTo = ({ call }: CallRound) => ({
    requestState,
    inputResponses: Object.fromEntries(call.requests.map(({ key }) => [key, { action: 'accept' }])),
  });
  const [second] = (await round(answerTo(first))) as [CallRound];
  expect(second.call).toMatchObject({
    callId: first.call.callId,
    requests: [{ params: '{"message":"two"}' }],
  });
  // The answers of the round before are no news.
  expect(await round(answerTo(first))).toMatchObject([
    { call: { requests: [{ params: '{"message":"two"}' }] } },
  ]);
  expect(await round(answerTo(second))).toMatchObject([
    { call: { end: { kind: 'outcome', outcome: Buffer.from('done') } } },
  ]);
  expect(answers).toEqual([{ action: 'accept' }, { action: 'accept' }]);
});

test('a state of an unknown call, and an answer that is no object, are refused', async () => {
  const { round } = setUp(() => Promise.resolve());
  const requestState = stateOfCall('call_none');
  await expect(round({ requestState })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(round({ requestState, inputResponses: { a: 7 } })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
});
