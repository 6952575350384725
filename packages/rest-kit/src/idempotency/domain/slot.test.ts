import { expect, test } from 'vitest';
import type { IdempotentCall } from './call.ts';
import { slotOf } from './slot.ts';

const call: IdempotentCall = {
  owner: { accountId: 'acc_a', userId: 'usr_a' },
  key: 'key',
  target: '/v1/items?a=1',
  body: new Uint8Array(),
  timeoutMs: 1000,
};

test('each owner, key and target has a slot of its own, whatever is in them', () => {
  const calls: IdempotentCall[] = [
    call,
    { ...call, owner: { accountId: 'acc_a', userId: 'usr_b' } },
    { ...call, owner: { accountId: 'acc_b', userId: 'usr_a' } },
    { ...call, owner: 'operator' },
    { ...call, key: 'key","' },
    { ...call, key: 'key","/v1/items?a=1' },
    { ...call, target: '/v1/items?a=2' },
    { ...call, target: '/v1/items' },
  ];
  expect(new Set(calls.map((it) => slotOf(it).id)).size).toBe(calls.length);
});

test('a slot depends on neither body nor timeout; it is sealed for its account, the operator’s for no account', () => {
  const slot = slotOf(call);
  expect(slotOf({ ...call, body: Uint8Array.of(1), timeoutMs: 2 })).toEqual(slot);
  expect(slot).toMatchObject({ accountId: 'acc_a', sealingScope: 'acc_a' });
  expect(slotOf({ ...call, owner: 'operator' })).toMatchObject({
    accountId: undefined,
    sealingScope: 'operator',
  });
});
