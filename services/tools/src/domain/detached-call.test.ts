import { confinedContext, testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { keptMs, MAX_CALL_MS, ownerOf } from './detached-call.ts';

test('users, confined keys and servers have calls of their own; clients without a credential share those of a server', () => {
  const anonymous = (serverId: string) =>
    testContext({ caller: { kind: 'anonymousClient', accountId: 'a', serverId } });
  const owners = [
    ownerOf(testContext({ accountId: 'a', userId: 'u' }), 's'),
    ownerOf(testContext({ accountId: 'a', userId: 'v' }), 's'),
    ownerOf(testContext({ accountId: 'a', userId: 'u' }), 't'),
    ownerOf(confinedContext({ toolsetId: 't', keyId: 'k' }, 'a'), 's'),
    ownerOf(anonymous('s'), 's'),
  ];
  expect(new Set(owners.map(({ owner }) => owner)).size).toBe(owners.length);
  expect(ownerOf(anonymous('s'), 's')).toEqual(ownerOf(anonymous('s'), 's'));
  expect(owners.map(({ accountId }) => accountId)).toEqual(['a', 'a', 'a', 'a', 'a']);
});

test('a call is kept for an hour, or as long as its caller says within bounds, and longer than it can run', () => {
  expect(keptMs(undefined)).toBe(3_600_000);
  expect(keptMs(7_200_000)).toBe(7_200_000);
  expect(keptMs(1)).toBeGreaterThan(MAX_CALL_MS);
  expect(keptMs(Number.MAX_SAFE_INTEGER)).toBe(24 * 3_600_000);
});
