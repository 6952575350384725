import { expect, test } from 'vitest';
import { proposeSecrets } from './propose-secrets.ts';

const PLAN = { accountName: 'Acme', ownerName: 'Ada', ownerEmail: 'ada@example.com' };
const storeWith = (accountId: string | undefined) => ({
  findOwnedAccount: (email: string) =>
    Promise.resolve(email === PLAN.ownerEmail ? accountId : 'acc_of_another_owner'),
});

test('an account that the owner has keeps its id; otherwise a new id is proposed', async () => {
  expect((await proposeSecrets(storeWith('acc_known'), PLAN)).accountId).toBe('acc_known');
  expect((await proposeSecrets(storeWith(undefined), PLAN)).accountId).toMatch(/^acc_/);
});

test('the key and the password are new each time, the password has 24 characters', async () => {
  const first = await proposeSecrets(storeWith('acc_known'), PLAN);
  const second = await proposeSecrets(storeWith('acc_known'), PLAN);
  expect(first.ownerEmail).toBe(PLAN.ownerEmail);
  expect(first.ownerPassword).toMatch(/^[0-9A-Za-z]{24}$/);
  expect(second.ownerPassword).not.toBe(first.ownerPassword);
  expect(second.apiKey).not.toBe(first.apiKey);
});
