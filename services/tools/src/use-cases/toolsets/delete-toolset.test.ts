import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { toolset } from '../../testing/toolsets.ts';
import { deleteToolset } from './delete-toolset.ts';

it('is NOT_FOUND if there was none to delete; otherwise what waits for approval in it is rejected', async () => {
  const left = new Set([`mine ${toolset().id}`]);
  const toolsets = {
    delete: (_ctx: unknown, accountId: string, id: string) =>
      Promise.resolve(left.delete(`${accountId} ${id}`)),
  };
  const rejected: unknown[] = [];
  const approvals = {
    rejectOfToolset: (_ctx: unknown, ...of: unknown[]) => Promise.resolve(void rejected.push(of)),
  };
  const now = new Date(0);
  const deps = { toolsets, approvals, clock: new ManualClock(now) };
  const remove = (accountId: string) =>
    deleteToolset(deps, testContext({ accountId, userId: 'usr_1' }), toolset().id);
  await expect(remove('other')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(rejected).toEqual([]);
  await remove('mine');
  expect(rejected).toEqual([['mine', toolset().id, { userId: 'usr_1', now }]]);
  await expect(remove('mine')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
