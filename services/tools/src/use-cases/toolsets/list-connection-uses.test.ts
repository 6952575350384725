import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { listConnectionUses } from './list-connection-uses.ts';

it('names the toolsets of the account that use a connection', async () => {
  const asked: unknown[] = [];
  const toolsets = {
    listUses(_ctx: unknown, ...of: unknown[]) {
      asked.push(of);
      return Promise.resolve(['a', 'b']);
    },
  };
  expect(await listConnectionUses({ toolsets }, testContext({ accountId: 'mine' }), 7)).toEqual([
    'toolset:a',
    'toolset:b',
  ]);
  expect(asked).toEqual([['mine', 7, 100]]);
});
