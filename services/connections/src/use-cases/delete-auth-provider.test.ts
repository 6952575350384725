import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { NOW, OWNER } from '../testing/builders.ts';
import { deleteAuthProvider } from './delete-auth-provider.ts';

const clock = new ManualClock(NOW);

test.each([
  ['missing', 'NOT_FOUND'],
  ['inUse', 'AUTH_PROVIDER_IN_USE'],
] as const)('%s is %s', async (result, code) => {
  const deps = { authProviders: { delete: () => Promise.resolve(result) }, clock };
  await expect(deleteAuthProvider(deps, testContext(OWNER), 3)).rejects.toMatchObject({ code });
});

test('a provider of the caller’s account is deleted', async () => {
  const asked: unknown[] = [];
  const remove = (_ctx: unknown, accountId: string, id: number, now: Date) => {
    asked.push([accountId, id, now]);
    return Promise.resolve('deleted' as const);
  };
  await deleteAuthProvider({ authProviders: { delete: remove }, clock }, testContext(OWNER), 3);
  expect(asked).toEqual([[OWNER.accountId, 3, NOW]]);
});
