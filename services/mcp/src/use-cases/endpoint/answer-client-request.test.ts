import { ApiError, notFound } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { answerClientRequest } from './answer-client-request.ts';

const answer = { kind: 'result', json: Buffer.from('{}') } as const;

async function passAnswer(key: string | undefined, error?: Error): Promise<readonly string[]> {
  const calls: string[] = [];
  const record = (what: string): Promise<void> => {
    calls.push(what);
    return error === undefined ? Promise.resolve() : Promise.reject(error);
  };
  const deps = {
    clientRequests: {
      isOwn: (own: string) => own.startsWith('own_'),
      answer: (_ctx: unknown, serverId: string, own: string) => record(`${serverId} ${own}`),
    },
    toolCalls: { answer: (_ctx: unknown, own: string) => record(`tools ${own}`) },
  };
  await answerClientRequest(deps, testContext(), 'server', { key, answer });
  return calls;
}

test('the key says who waits for the answer', async () => {
  expect(await passAnswer('own_1')).toEqual(['server own_1']);
  expect(await passAnswer('ask_1')).toEqual(['tools ask_1']);
  for (const key of ['other', '', undefined]) expect(await passAnswer(key)).toEqual([]);
});

test('an answer that nobody waits for is dropped; one that does not arrive is not', async () => {
  expect(await passAnswer('ask_1', notFound('request'))).toEqual(['tools ask_1']);
  const away = new ApiError('UNAVAILABLE', 'Later.');
  await expect(passAnswer('ask_1', away)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
