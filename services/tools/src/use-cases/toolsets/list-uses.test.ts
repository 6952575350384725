import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { listUses } from './list-uses.ts';

it.each([{ connectionId: 7 }, { workflowToken: 'wf' }])(
  'names the toolsets of the account that use %j',
  async (used) => {
    const asked: unknown[] = [];
    const toolsets = {
      listUses(_ctx: unknown, ...of: unknown[]) {
        asked.push(of);
        return Promise.resolve(['a', 'b']);
      },
    };
    expect(await listUses({ toolsets }, testContext({ accountId: 'mine' }), used)).toEqual([
      'toolset:a',
      'toolset:b',
    ]);
    expect(asked).toEqual([['mine', used, 100]]);
  },
);
