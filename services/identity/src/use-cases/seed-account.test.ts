import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { expect, test } from 'vitest';
import { hashApiKey } from '@fairlead/access/api-key';
import type { ApiKeyRecord, User } from '../domain/records.ts';
import type { SeedStore } from '../ports/seed-store.ts';
import { testPasswords } from '../testing/passwords.ts';
import { proposeSecrets } from './propose-secrets.ts';
import { seedAccount } from './seed-account.ts';
import type { SeedSecrets } from './seed-account.ts';

const PLAN = { accountName: 'Acme', ownerName: 'Olga', ownerEmail: 'olga@acme.example' };

/** A store; if a hash is given, it has an owner with the plan's e-mail address and that hash. */
function setUp(owner?: { readonly passwordHash: string | null }) {
  const owners: { readonly user: User; readonly passwordHash: string }[] = [];
  const newPasswords: { readonly userId: string; readonly passwordHash: string }[] = [];
  const keys: { readonly key: ApiKeyRecord; readonly hash: string }[] = [];
  /** For each revocation: hash of the key that stays, and number of keys at that time. */
  const revocations: { readonly hash: string; readonly keyCount: number }[] = [];
  const store: SeedStore = {
    findOwnedAccount: () => Promise.resolve(owner && 'acc_known'),
    findUser: () => Promise.resolve(owner && { id: 'usr_known', passwordHash: owner.passwordHash }),
    putAccount: () => Promise.resolve(),
    insertUser: (user, passwordHash) => Promise.resolve(void owners.push({ user, passwordHash })),
    setPasswordHash: (userId, passwordHash) =>
      Promise.resolve(void newPasswords.push({ userId, passwordHash })),
    putApiKey: (key, hash) => Promise.resolve(void keys.push({ key, hash })),
    revokeOtherKeys: ({ hash }) => Promise.resolve(void revocations.push({ hash, keyCount: keys.length })),
  };
  const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
  const seed = (secrets: SeedSecrets) =>
    seedAccount({ store, passwords: testPasswords, clock }, PLAN, secrets);
  return { store, owners, newPasswords, keys, revocations, seed };
}

const isPassword = (secrets: SeedSecrets, hash = '') =>
  testPasswords.verify(new Secret(secrets.ownerPassword), hash);

test('a new account gets an owner with the password, and the key acts as that owner', async () => {
  const { store, owners, keys, seed } = setUp();
  const secrets = await proposeSecrets(store, PLAN);
  await seed(secrets);
  const { accountId } = secrets;
  expect(owners).toMatchObject([{ user: { accountId, email: PLAN.ownerEmail, role: 'owner' } }]);
  expect(await isPassword(secrets, owners[0]?.passwordHash)).toBe(true);
  const hash = hashApiKey(new Secret(secrets.apiKey));
  expect(keys).toMatchObject([{ key: { accountId, userId: owners[0]?.user.id }, hash }]);
});

test('the owner keeps the password that is right already', async () => {
  const secrets = await proposeSecrets(setUp().store, PLAN);
  const passwordHash = await testPasswords.hash(new Secret(secrets.ownerPassword));
  const { owners, newPasswords, seed } = setUp({ passwordHash });
  await seed(secrets);
  expect([owners, newPasswords]).toEqual([[], []]);
});

test.each([[null], ['of another password']])('an owner with the hash %j gets the password', async (hash) => {
  const secrets = await proposeSecrets(setUp().store, PLAN);
  const { owners, newPasswords, seed } = setUp({ passwordHash: hash });
  await seed(secrets);
  expect(owners).toEqual([]);
  expect(newPasswords).toMatchObject([{ userId: 'usr_known' }]);
  expect(await isPassword(secrets, newPasswords[0]?.passwordHash)).toBe(true);
});

test('earlier seeded keys are revoked once the new one is there, so that lost secrets open nothing', async () => {
  const { store, revocations, seed } = setUp();
  const secrets = await proposeSecrets(store, PLAN);
  await seed(secrets);
  expect(revocations).toEqual([{ hash: hashApiKey(new Secret(secrets.apiKey)), keyCount: 1 }]);
});
