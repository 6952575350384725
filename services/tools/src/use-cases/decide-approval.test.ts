import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { approval } from '../testing/approvals.ts';
import { decideApproval } from './decide-approval.ts';

it('decides what can be decided so; the same again changes nothing', async () => {
  const asked: unknown[] = [];
  const found = approval({ status: 'rejected' });
  const deps: Parameters<typeof decideApproval>[0] = {
    approvals: {
      find: (_ctx, _account, id) => Promise.resolve(id === found.approvalId ? found : undefined),
      decide(_ctx, accountId, id, { from, to }) {
        asked.push([accountId, id, from, to]);
        return Promise.resolve(undefined);
      },
    },
    clock: new ManualClock(found.createdAt),
  };
  const ctx = testContext({ accountId: 'mine' });
  const { approvalId } = found;
  expect(await decideApproval(deps, ctx, { approvalId, isApproved: false })).toEqual(found);
  await expect(decideApproval(deps, ctx, { approvalId, isApproved: true })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  await expect(decideApproval(deps, ctx, { approvalId: 'x', isApproved: true })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(asked).toEqual([
    ['mine', approvalId, ['pending', 'approved'], 'rejected'],
    ['mine', approvalId, ['pending'], 'approved'],
    ['mine', 'x', ['pending'], 'approved'],
  ]);
});
