import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { removeEndUserApprovals } from './remove-end-user-approvals.ts';

test("the calling account's approvals of an end user are removed with the files that they keep; the account's own are not", async () => {
  const removed: unknown[] = [];
  const approvals = {
    removeOfEndUser: (_ctx: unknown, ...of: [string, string]) => Promise.resolve(void removed.push(of)),
  };
  const files = { dropHeld: (...of: unknown[]) => Promise.resolve(void removed.push(of)) };
  const now = new Date(0);
  const deps = { approvals, files, clock: new ManualClock(now) };
  const ctx = testContext({ accountId: 'mine' });
  await removeEndUserApprovals(deps, ctx, 'customer-1');
  await expect(removeEndUserApprovals(deps, ctx, '')).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  expect(removed).toEqual([
    ['mine', 'customer-1'],
    ['mine', { endUserId: 'customer-1' }, now],
  ]);
});
