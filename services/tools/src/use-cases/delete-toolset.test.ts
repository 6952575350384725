import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { toolset } from '../testing/toolsets.ts';
import { deleteToolset } from './delete-toolset.ts';

it('is NOT_FOUND if there was none to delete', async () => {
  const left = new Set([`mine ${toolset().id}`]);
  const toolsets = {
    delete: (_ctx: unknown, accountId: string, id: string) =>
      Promise.resolve(left.delete(`${accountId} ${id}`)),
  };
  const remove = (accountId: string) => deleteToolset({ toolsets }, testContext({ accountId }), toolset().id);
  await expect(remove('other')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await remove('mine');
  await expect(remove('mine')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
