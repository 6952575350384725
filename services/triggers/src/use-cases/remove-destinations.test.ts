import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { MADE_AT } from '../testing/triggers.ts';
import { removeDestinations } from './remove-destinations.ts';

test('destinations leave the triggers of the calling account', async () => {
  const removed: unknown[] = [];
  const triggers = {
    removeDestinations(_ctx: unknown, ...of: unknown[]) {
      removed.push(of);
      return Promise.resolve();
    },
  };
  const ctx = testContext({ accountId: 'acc_1' });
  await removeDestinations({ triggers, clock: new ManualClock(MADE_AT) }, ctx, ['dst_1']);
  expect(removed).toEqual([['acc_1', ['dst_1'], MADE_AT]]);
});
