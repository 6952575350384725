import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { MADE_AT } from '../testing/triggers.ts';
import { changeRegistrations } from './change-registrations.ts';

const OF = { accountId: 'acc_1', triggerId: 'trg_1' };
const at = (ms: number): string => new Date(MADE_AT.getTime() + ms).toISOString();

function setUp(refusesSecond = false) {
  const steps: string[] = [];
  const webhooks = {
    schedule(_ctx: unknown, accountId: string, of: object, time: Date) {
      if (refusesSecond && steps.length > 1) return Promise.reject(new Error('away'));
      steps.push(`${accountId} ${JSON.stringify(of)} ${time.toISOString()}`);
      return Promise.resolve();
    },
  };
  const deps = { webhooks, clock: new ManualClock(MADE_AT) };
  const change = () => {
    steps.push('changed');
    return Promise.resolve('done');
  };
  return { deps, steps, change };
}

test('registrations are due before the change is made, and at once when it is', async () => {
  const { deps, steps, change } = setUp();
  expect(await changeRegistrations(deps, testContext(), OF, change)).toBe('done');
  const of = 'acc_1 {"triggerId":"trg_1"}';
  expect(steps).toEqual([`${of} ${at(30_000)}`, 'changed', `${of} ${at(0)}`]);
});

test('a change is made although they cannot be looked at at once; one that fails fails', async () => {
  const { deps, change } = setUp(true);
  expect(await changeRegistrations(deps, testContext(), OF, change)).toBe('done');
  const failing = changeRegistrations(setUp().deps, testContext(), OF, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
});
