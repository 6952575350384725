import { platformContext } from '@fairlead/service-kit/testing/account-data';
import { expect, test } from 'vitest';
import { contextOf } from '../testing/context-of.ts';
import { listApiKeys } from './list-api-keys.ts';

const PAGE = { offset: 3, top: 1 };

function setUp() {
  const asked: unknown[] = [];
  const list = (_ctx: unknown, accountId: string, page: unknown) => {
    asked.push([accountId, page]);
    return Promise.resolve({ items: [], totalCount: 7 });
  };
  return { asked, deps: { apiKeys: { list } } };
}

test('the page is of the caller’s account', async () => {
  const { asked, deps } = setUp();
  const caller = contextOf({ accountId: 'acc_1', userId: 'usr_1' });
  expect(await listApiKeys(deps, caller, PAGE)).toEqual({ items: [], totalCount: 7 });
  expect(asked).toEqual([['acc_1', PAGE]]);
});

test('a caller without an account is UNAUTHORIZED', async () => {
  const listing = async () => listApiKeys(setUp().deps, platformContext, PAGE);
  await expect(listing()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});
