import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { toolset } from '../../testing/toolsets.ts';
import { listToolsets } from './list-toolsets.ts';

const listed = { ...toolset(), policy: null };

it('lists the toolsets of the calling account', async () => {
  const asked: unknown[] = [];
  const toolsets = {
    list(_ctx: unknown, accountId: string, page: unknown) {
      asked.push([accountId, page]);
      return Promise.resolve({ items: [listed], totalCount: 1 });
    },
  };
  const page = { offset: 5, top: 10 };
  expect(await listToolsets({ toolsets }, testContext({ accountId: 'mine' }), page)).toEqual({
    items: [listed],
    totalCount: 1,
  });
  expect(asked).toEqual([['mine', page]]);
});
