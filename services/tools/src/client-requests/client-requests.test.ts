import { NatsUnavailableError } from '@fairlead/service-kit/nats/unavailable';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { expect, test } from 'vitest';
import { createClientRequests } from './client-requests.ts';

const RESULT = { result: LazyJson.of({ roots: [] }) };
/** A key of another replica. */
const ELSEWHERE = `ask_${'0'.repeat(16)}_${'1'.repeat(32)}`;

/** Requests of a replica whose NATS behaves as given. */
function requestsWith(ask: () => Promise<undefined>, isLive = true) {
  return createClientRequests({
    isLive: () => isLive,
    addressed: () => ({
      take: () => Promise.resolve(),
      leave: () => undefined,
      ask,
      maxBytes: () => 1_048_576,
    }),
  });
}

test('an answer for this replica needs no NATS', async () => {
  const requests = requestsWith(() => Promise.resolve(undefined), false);
  const { key, answer } = requests.open('ada', new AbortController().signal);
  await requests.answer('ada', key, RESULT);
  expect(await answer).toEqual({ roots: [] });
});

test.each([
  ['of a replica that is gone', 'NOT_FOUND', () => Promise.resolve(undefined), true],
  ['without NATS', 'UNAVAILABLE', () => Promise.resolve(undefined), false],
  ['that nobody confirms', 'UNAVAILABLE', () => Promise.reject(new NatsUnavailableError('late')), true],
] as const)('an answer to a request %s is %s', async (_name, code, ask, isLive) => {
  const requests = requestsWith(ask, isLive);
  await expect(requests.answer('ada', ELSEWHERE, RESULT)).rejects.toMatchObject({ code });
});

test('a request is closed when its call ends', async () => {
  const requests = requestsWith(() => Promise.resolve(undefined));
  const ended = new AbortController();
  const { key, answer } = requests.open('ada', ended.signal);
  ended.abort();
  await expect(answer).rejects.toThrow('ended without the answer');
  await expect(requests.answer('ada', key, RESULT)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(requests.open('ada', ended.signal).answer).rejects.toThrow('ended without the answer');
});

test('an error of a client without a code or a message still is one', async () => {
  const requests = requestsWith(() => Promise.resolve(undefined));
  const { key, answer } = requests.open('ada', new AbortController().signal);
  await requests.answer('ada', key, { error: LazyJson.of({ code: 'x', data: 1 }) });
  await expect(answer).rejects.toMatchObject({ code: -32_603, message: 'The client refused.', data: 1 });
});
