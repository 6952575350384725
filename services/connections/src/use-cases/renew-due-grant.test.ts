import { ApiError, overloaded } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { NOW, OWNER } from '../testing/builders.ts';
import { renewDueGrant } from './renew-due-grant.ts';

const ctx = testContext(OWNER);
const clock = new ManualClock(NOW);
const grant = { accountId: OWNER.accountId, id: 7, credentialVersion: 1 };
const renew = (refresh: () => Promise<{ readonly kind: 'settled' }>) =>
  renewDueGrant({ refresher: { refresh }, clock }, ctx, grant);

test('what an attempt has written stays as it is', async () => {
  expect(await renew(() => Promise.resolve({ kind: 'settled' }))).toBeUndefined();
});

test('a grant whose account has no turn is due again in a minute', async () => {
  expect(await renew(() => Promise.reject(overloaded('busy')))).toEqual({
    at: new Date(NOW.getTime() + 60_000),
  });
});

test('any other error is left to the sweep', async () => {
  const failure = new ApiError('UNAVAILABLE', 'no');
  await expect(renew(() => Promise.reject(failure))).rejects.toBe(failure);
});
