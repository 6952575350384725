import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { testAccount } from '../testing/records.ts';
import { getAccount } from './get-account.ts';

test('an account is found by its id; an unknown one is NOT_FOUND', async () => {
  const account = testAccount();
  const accounts = {
    find: (_ctx: unknown, id: string) => Promise.resolve(id === account.id ? account : undefined),
  };
  expect(await getAccount({ accounts }, testContext(), account.id)).toBe(account);
  await expect(getAccount({ accounts }, testContext(), 'acc_2')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
