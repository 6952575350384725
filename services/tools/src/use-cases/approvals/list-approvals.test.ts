import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { approval } from '../../testing/approvals.ts';
import { listApprovals } from './list-approvals.ts';

it('lists the approvals of the account as they are now', async () => {
  const page = { items: [approval()], totalCount: 7 };
  const asked: unknown[] = [];
  const approvals = {
    list: (_ctx: unknown, ...of: unknown[]) => {
      asked.push(of);
      return Promise.resolve(page);
    },
  };
  const now = approval().createdAt;
  const query = { status: 'pending', page: { offset: 0, top: 5 } } as const;
  const deps = { approvals, clock: new ManualClock(now) };
  expect(await listApprovals(deps, testContext({ accountId: 'mine' }), query)).toBe(page);
  expect(asked).toEqual([['mine', query, now]]);
});
