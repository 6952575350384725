import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { removeConnectionUses } from './remove-connection-uses.ts';

it('removes connections from the toolsets of the account', async () => {
  const now = new Date('2026-11-22T10:00:00.000Z');
  const removed: unknown[] = [];
  const deps = {
    toolsets: {
      removeUses(_ctx: unknown, ...of: unknown[]) {
        removed.push(of);
        return Promise.resolve();
      },
    },
    clock: new ManualClock(now),
  };
  const ctx = testContext({ accountId: 'mine' });
  await removeConnectionUses(deps, ctx, [7, 8]);
  await removeConnectionUses(deps, ctx, []);
  expect(removed).toEqual([['mine', [7, 8], now]]);
});
