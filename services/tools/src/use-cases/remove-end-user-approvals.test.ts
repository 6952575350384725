import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { removeEndUserApprovals } from './remove-end-user-approvals.ts';

test("the calling account's approvals of an end user are removed; the account's own are not", async () => {
  const removed: unknown[] = [];
  const approvals = {
    removeOfEndUser: (_ctx: unknown, ...of: [string, string]) => Promise.resolve(void removed.push(of)),
  };
  const ctx = testContext({ accountId: 'mine' });
  await removeEndUserApprovals({ approvals }, ctx, 'customer-1');
  await expect(removeEndUserApprovals({ approvals }, ctx, '')).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  expect(removed).toEqual([['mine', 'customer-1']]);
});
