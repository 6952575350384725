import { ApiError } from '@fairlead/errors/api-error';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { ownerOf } from '../../domain/detached-call.ts';
import { detachedCall, MemoryCalls } from '../../testing/memory-calls.ts';
import { answerCall } from './answer-call.ts';

const ctx = testContext();
const owner = ownerOf(ctx, 's');
const request = (key: string) => ({ key, method: 'roots/list', params: '{}' });

function setUp(failure?: ApiError) {
  const detachedCalls = new MemoryCalls();
  const requests = [request('ask_1'), request('ask_2')];
  detachedCalls.calls.set('call_1', { ...detachedCall({ requests }), owner: owner.owner });
  const answered: string[] = [];
  const clientRequests = {
    answer(_caller: string, key: string) {
      answered.push(key);
      return failure === undefined ? Promise.resolve() : Promise.reject(failure);
    },
  };
  const answer = (callId: string, ...keys: string[]) =>
    answerCall({ detachedCalls, clientRequests }, ctx, owner, {
      callId,
      answers: new Map(keys.map((key) => [key, { result: LazyJson.of({}) }])),
    });
  const left = () => detachedCalls.calls.get('call_1')?.requests.map(({ key }) => key);
  return { answer, answered, left };
}

test('answers go to pending requests, which are pending no more; others are ignored', async () => {
  const { answer, answered, left } = setUp();
  await answer('call_1', 'ask_9');
  await answer('call_1', 'ask_1', 'ask_9');
  expect([answered, left()]).toEqual([['ask_1'], ['ask_2']]);
});

test('a request that nobody waits for is answered; one whose process is away stays', async () => {
  const gone = setUp(new ApiError('NOT_FOUND', 'None.'));
  await gone.answer('call_1', 'ask_1');
  expect(gone.left()).toEqual(['ask_2']);
  const away = setUp(new ApiError('UNAVAILABLE', 'Away.'));
  await expect(away.answer('call_1', 'ask_1')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(away.left()).toEqual(['ask_1', 'ask_2']);
});

test('an unknown call is not found', async () => {
  await expect(setUp().answer('call_2', 'ask_1')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
