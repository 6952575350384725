import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { findApproval } from './find-approval.ts';

it('asks for the approval that is named', async () => {
  const asked: unknown[] = [];
  const deps = {
    approvals: {
      find(_ctx: unknown, accountId: string, id: string) {
        asked.push([accountId, id]);
        return Promise.resolve(undefined);
      },
    },
    clock: new ManualClock(new Date(0)),
  };
  const ctx = testContext({ accountId: 'mine' });
  expect(await findApproval(deps, ctx, undefined)).toBeUndefined();
  await expect(findApproval(deps, ctx, 'x')).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'approvalId' }],
  });
  const id = '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4';
  await expect(findApproval(deps, ctx, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(asked).toEqual([['mine', id]]);
});
