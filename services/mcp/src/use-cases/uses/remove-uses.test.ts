import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { announced, LATER, references } from '../../testing/deps.ts';
import { removeUses } from './remove-uses.ts';

it('announces a change of any server of the account, and nothing if nothing is removed', async () => {
  const { changeServers, of } = announced();
  const removed: unknown[] = [];
  const servers = {
    removeUses(_ctx: unknown, ...what: unknown[]) {
      removed.push(what);
      return Promise.resolve();
    },
  };
  const deps = { servers, changeServers, clock: references().clock };
  const ctx = testContext({ accountId: 'acc_1' });
  await removeUses(deps, ctx, { connectionIds: [], workflowTokens: [] });
  expect([of, removed]).toEqual([[], []]);
  const members = { connectionIds: [7], workflowTokens: ['wf'] };
  await removeUses(deps, ctx, members);
  expect([of, removed]).toEqual([['acc_1 '], [['acc_1', members, LATER]]]);
});
