import { notFound } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { eraseAccount } from './erase-account.ts';
import type { EraseAccountDeps } from './erase-account.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');

function setUp(account: Promise<object>) {
  const steps: string[] = [];
  const step = (name: string): Promise<void> => {
    steps.push(name);
    return Promise.resolve();
  };
  const deps: EraseAccountDeps = {
    erasures: {
      async begin(accountId, { now, until }) {
        await step(`begin ${accountId} for ${until.getTime() - now.getTime()} ms`);
        return {
          accountId,
          state: 'erasing',
          requestedAt: now,
          erasedAt: null,
          sweepCount: 0,
          nextAt: until,
        };
      },
      save: () => step('save'),
      postpone: () => step('postpone'),
    },
    identity: {
      getAccount: () => account,
      closeAccount: () => step('close'),
      data: {
        name: 'identity',
        async *read() {},
        erase: async () => {
          await step('identity');
          return true;
        },
      },
    },
    domains: [],
    audit: { record: () => step('audit') },
    clock: new ManualClock(NOW),
    sweeps: [60_000],
  };
  return { deps, steps };
}

test('the erasure is stored before the account is closed, so that a crash leaves what continueErasures completes', async () => {
  const { deps, steps } = setUp(Promise.resolve({}));
  await eraseAccount(deps, testContext(), 'acc_1');
  expect(steps).toEqual(['begin acc_1 for 60000 ms', 'close', 'identity', 'save', 'audit']);
});

test('an unknown account is NOT_FOUND and nothing is stored', async () => {
  const { deps, steps } = setUp(Promise.reject(notFound('account')));
  await expect(eraseAccount(deps, testContext(), 'acc_0')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(steps).toEqual([]);
});
