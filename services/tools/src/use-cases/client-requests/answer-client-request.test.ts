import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { answerClientRequest } from './answer-client-request.ts';

test('an answer is that of its caller: a user, or the clients of one server that have no credential', async () => {
  const callers: string[] = [];
  const clientRequests = {
    answer: (caller: string) => {
      callers.push(caller);
      return Promise.resolve();
    },
  };
  for (const ctx of [
    testContext({ accountId: 'a', userId: 'x' }),
    testContext({ accountId: 'b', userId: 'x' }),
    testContext({ caller: { kind: 'anonymousClient', accountId: 'a', serverId: 'x' } }),
    testContext({ accountId: 'a', userId: 'x' }),
  ])
    await answerClientRequest({ clientRequests }, ctx, 'ask_1', { result: LazyJson.of({}) });
  expect(new Set(callers).size).toBe(3);
  expect(callers[3]).toBe(callers[0]);
  const platform = testContext({ caller: { kind: 'service', service: 'mcp' } });
  const answered = answerClientRequest({ clientRequests }, platform, 'ask_1', { result: LazyJson.of({}) });
  await expect(answered).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});
