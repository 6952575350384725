import { testContext } from '@fairlead/service-kit/testing/context';
import { openTestNats } from '@fairlead/service-kit/testing/nats';
import { expect, test } from 'vitest';
import { createClientRequests } from './client-answers.ts';

const SERVER = '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4';
const ctx = testContext({ accountId: 'acc_1', userId: 'u1' });
const sent = (value: object, kind: 'result' | 'error' = 'result') => ({
  kind,
  json: Buffer.from(JSON.stringify(value)),
});
const replica = async () => createClientRequests(await openTestNats());

test('an answer reaches the replica that waits for it, whichever replica the client sends it to', async () => {
  const [asking, other] = [await replica(), await replica()];
  const first = await asking.open(ctx, SERVER);
  expect([asking.isOwn(first.key), asking.isOwn('ask_1')]).toEqual([true, false]);
  await other.answer(ctx, SERVER, first.key, sent({ action: 'accept' }));
  expect(await first.answer).toEqual({ kind: 'result', result: { action: 'accept' } });
  const second = await asking.open(ctx, SERVER);
  await asking.answer(ctx, SERVER, second.key, sent({ code: -1, message: 'no' }, 'error'));
  expect(await second.answer).toEqual({ kind: 'error', code: -1, message: 'no' });
});

test('each request is answered once, by its caller, at its server', async () => {
  const [asking, other] = [await replica(), await replica()];
  const request = await asking.open(ctx, SERVER);
  const anonymous = testContext({
    caller: { kind: 'anonymousClient', accountId: 'acc_1', serverId: SERVER },
  });
  for (const [as, server] of [
    [testContext({ accountId: 'acc_1', userId: 'u2' }), SERVER],
    [testContext({ accountId: 'acc_2', userId: 'u1' }), SERVER],
    [anonymous, SERVER],
    [ctx, 'another server'],
  ] as const) {
    await other.answer(as, server, request.key, sent({ action: 'forged' }));
    await asking.answer(as, server, request.key, sent({ action: 'forged' }));
  }
  await other.answer(ctx, SERVER, request.key, sent({ action: 'accept' }));
  expect(await request.answer).toEqual({ kind: 'result', result: { action: 'accept' } });
  await expect(other.answer(ctx, SERVER, request.key, sent({ action: 'again' }))).resolves.toBeUndefined();
});

test('an answer that is too long is refused, and the request stays open', async () => {
  const asking = await replica();
  const request = await asking.open(ctx, SERVER);
  const long = sent({ text: 'x'.repeat(256 * 1024) });
  await expect(asking.answer(ctx, SERVER, request.key, long)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  await asking.answer(ctx, SERVER, request.key, sent({ action: 'accept' }));
  expect(await request.answer).toEqual({ kind: 'result', result: { action: 'accept' } });
});

test('an answer to a closed or unknown request is dropped; without NATS it is refused', async () => {
  const nats = await openTestNats();
  const asking = createClientRequests(nats);
  const request = await asking.open(ctx, SERVER);
  request.close();
  for (const key of [request.key, 'mcpask_unknown'])
    await expect(asking.answer(ctx, SERVER, key, sent({}))).resolves.toBeUndefined();
  await nats.close();
  await expect(asking.answer(ctx, SERVER, 'mcpask_unknown', sent({}))).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
});
