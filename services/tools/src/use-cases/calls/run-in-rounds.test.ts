import type { CallingClient, ClientDescription } from '@fairlead/connector-runtime/mcp/calling-client';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { stateOfCall } from '../../domain/call-round.ts';
import { memoryRounds, nextRound, ROUND_CLIENT } from '../../testing/memory-rounds.ts';
import { runInRounds } from './run-in-rounds.ts';
import type { CallRound } from './run-in-rounds.ts';

/** Work with this conversation. */
function setUp(speak: (client: CallingClient) => Promise<unknown>) {
  const deps = memoryRounds();
  const ctx = testContext();
  const round = async (o: Partial<ClientDescription> = {}) => {
    const read: unknown[] = [];
    const messages = runInRounds(deps, ctx, {
      of: 'server',
      name: 'echo',
      description: { ...ROUND_CLIENT, ...o },
      run: async (_ctx, client) => {
        await speak(client);
        return 'result';
      },
      encode: () => ({ outcome: Buffer.from('done'), isFailed: false }),
    });
    for await (const message of messages) read.push(message);
    return read;
  };
  return { round, detachedCalls: deps.detachedCalls };
}

test('a call that asks nothing has its notifications and its result, and is not stored', async () => {
  const { round, detachedCalls } = setUp((client) => {
    client.notify('notifications/progress', { progress: 1 });
    return Promise.resolve();
  });
  expect(await round()).toMatchObject([
    { kind: 'notification', method: 'notifications/progress' },
    { kind: 'result', result: 'result' },
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
  const [second] = (await round(nextRound(first))) as [CallRound];
  expect(second.call).toMatchObject({
    callId: first.call.callId,
    requests: [{ params: '{"message":"two"}' }],
  });
  // Answers of the previous round are not repeated.
  expect(await round(nextRound(first))).toMatchObject([
    { call: { requests: [{ params: '{"message":"two"}' }] } },
  ]);
  expect(await round(nextRound(second))).toMatchObject([
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
