import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { listWorkflows } from './list-workflows.ts';

test('the page is that of the account', async () => {
  const asked: unknown[] = [];
  const workflows = {
    list(_ctx: unknown, ...o: readonly unknown[]) {
      asked.push(o);
      return Promise.resolve({ items: [], totalCount: 0 });
    },
  };
  await listWorkflows({ workflows }, testContext({ accountId: 'acc_1' }), { offset: 1, top: 2 });
  expect(asked).toEqual([['acc_1', { offset: 1, top: 2 }]]);
});
