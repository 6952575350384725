import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { MADE_AT } from '../testing/triggers.ts';
import { removeConnectionUses } from './remove-connection-uses.ts';

it('disables what uses the connections, saying why, and ends their registrations afterwards; without any it asks nothing', async () => {
  const asked: unknown[] = [];
  const triggers = {
    disableUses(_ctx: unknown, ...rest: readonly unknown[]) {
      asked.push(rest);
      return Promise.resolve();
    },
  };
  const registrations = {
    endOf(_ctx: unknown, ...rest: readonly unknown[]) {
      asked.push(rest);
      return Promise.resolve();
    },
  };
  const deps = { triggers, registrations, clock: new ManualClock(MADE_AT) };
  await removeConnectionUses(deps, testContext({ accountId: 'acc_1' }), []);
  await removeConnectionUses(deps, testContext({ accountId: 'acc_1' }), [1, 2]);
  expect(asked).toEqual([
    ['acc_1', [1, 2], 'The connection of the trigger was deleted.', MADE_AT],
    ['acc_1', [1, 2]],
  ]);
});
