import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { testAccount } from '../testing/records.ts';
import { listAccounts } from './list-accounts.ts';

test('the page that is asked for is listed', async () => {
  const listed = { items: [testAccount()], totalCount: 7 };
  const asked: unknown[] = [];
  const list = (_ctx: unknown, page: unknown) => {
    asked.push(page);
    return Promise.resolve(listed);
  };
  const page = { offset: 3, top: 1 };
  expect(await listAccounts({ accounts: { list } }, testContext(), page)).toBe(listed);
  expect(asked).toEqual([page]);
});
