import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { AccountChange } from '../domain/records.ts';
import { testAccount } from '../testing/records.ts';
import { updateAccount } from './update-account.ts';

const NOW = new Date('2026-01-01T00:00:00Z');

/** A store with `acc_1`; it records the order of calls. */
function setUp() {
  const happened: unknown[] = [];
  const deps = {
    accounts: {
      update(_ctx: unknown, id: string, change: AccountChange, now: Date) {
        happened.push({ id, change, now });
        return Promise.resolve(id === 'acc_1' ? testAccount() : undefined);
      },
    },
    async changeIdentity<R>(accountId: string, write: () => Promise<R>) {
      happened.push(`before ${accountId}`);
      const result = await write();
      happened.push(`after ${accountId}`);
      return result;
    },
    clock: new ManualClock(NOW),
  };
  return { happened, deps };
}

test('what is given is written, announced before and after', async () => {
  const { happened, deps } = setUp();
  const change = { budgets: { hourly: 7 } };
  expect(await updateAccount(deps, testContext(), 'acc_1', change)).toEqual(testAccount());
  expect(happened).toEqual(['before acc_1', { id: 'acc_1', change, now: NOW }, 'after acc_1']);
});

test('an unknown account is NOT_FOUND', async () => {
  const updating = updateAccount(setUp().deps, testContext(), 'acc_2', { name: 'x' });
  await expect(updating).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
