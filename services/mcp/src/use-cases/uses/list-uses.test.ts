import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { listUses } from './list-uses.ts';

it.each([{ connectionId: 7 }, { workflowToken: 'wf' }])('names the servers that use %j', async (used) => {
  const asked: unknown[] = [];
  const servers = {
    listUses(_ctx: unknown, ...of: unknown[]) {
      asked.push(of);
      return Promise.resolve(['Sales', 'Support']);
    },
  };
  expect(await listUses({ servers }, testContext({ accountId: 'acc_1' }), used)).toEqual([
    'mcpServer:Sales',
    'mcpServer:Support',
  ]);
  expect(asked).toEqual([['acc_1', used, 100]]);
});
