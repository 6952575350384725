import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { platformContext } from '@fairlead/service-kit/testing/account-data';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { hashApiKey } from '@fairlead/access/api-key';
import { argon2Passwords } from '../passwords/password.ts';
import { seedAccounts } from './seed-accounts.ts';
import { credentialRepository } from '../storage/credential.repository.ts';
import { accountCollection } from '../storage/account.collection.ts';
import { apiKeyCollection } from '../storage/api-key.collection.ts';
import { seedRepository } from '../storage/seed.repository.ts';
import { userCollection } from '../storage/user.collection.ts';
import type { SeedSecrets } from '../use-cases/seed-account.ts';

const identityCollections = [accountCollection, userCollection, apiKeyCollection];
let store: Awaited<ReturnType<typeof testStore>>;
let directory: string;
let path: string;
beforeEach(async () => {
  store = await testStore(inject('mongodbUri'), identityCollections);
  directory = await mkdtemp(join(tmpdir(), 'fairlead-seed-'));
  path = join(directory, 'nested', 'seed.json');
});
afterEach(async () => {
  await store.drop();
  await rm(directory, { recursive: true });
});

async function seed(
  into = store,
): Promise<{ readonly account: SeedSecrets; readonly otherAccount: SeedSecrets }> {
  await seedAccounts(
    {
      store: seedRepository(into),
      passwords: argon2Passwords,
      clock: systemClock,
      changeIdentity: (_accountId, write) => write(),
    },
    path,
  );
  return JSON.parse(await readFile(path, 'utf8')) as { account: SeedSecrets; otherAccount: SeedSecrets };
}

async function ownerOf(secrets: SeedSecrets, of = store) {
  const hash = hashApiKey(new Secret(secrets.apiKey));
  const credentials = credentialRepository({ store: of, clock: systemClock });
  return (await credentials.findKeyOwners(platformContext, [hash])).get(hash);
}

describe('seeding', () => {
  test('two accounts are made, each with an owner whose key and password open it', async () => {
    const { account, otherAccount } = await seed();
    expect(await ownerOf(account)).toMatchObject({
      account: { id: account.accountId, name: 'Acme', isRbacEnabled: false },
      user: { email: account.ownerEmail, role: 'owner', isActive: true },
      key: { expiresAt: null, revokedAt: null },
    });
    expect(await ownerOf(otherAccount)).toMatchObject({
      account: { id: otherAccount.accountId, name: 'Northwind' },
    });
    expect(otherAccount.accountId).not.toBe(account.accountId);
    const user = await store.collection(userCollection).findOne({ email: account.ownerEmail });
    expect(await argon2Passwords.verify(new Secret(account.ownerPassword), user?.passwordHash ?? '')).toBe(
      true,
    );
  });

  test('the file is for its owner’s eyes only, and the database holds no secret of it', async () => {
    const { account } = await seed();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const documents = await Promise.all(
      identityCollections.map(({ name }) => store.db.collection(name).find().toArray()),
    );
    expect(JSON.stringify(documents)).not.toContain(account.apiKey);
    expect(JSON.stringify(documents)).not.toContain(account.ownerPassword);
  });

  test('seeding again changes neither file nor database', async () => {
    const first = await seed();
    const before = await Promise.all(
      identityCollections.map(({ name }) => store.db.collection(name).find().toArray()),
    );
    expect(await seed()).toEqual(first);
    expect(
      await Promise.all(identityCollections.map(({ name }) => store.db.collection(name).find().toArray())),
    ).toEqual(before);
  });

  test('a new database gets the accounts of the file', async () => {
    const secrets = await seed();
    const fresh = await testStore(inject('mongodbUri'), identityCollections);
    expect(await seed(fresh)).toEqual(secrets);
    expect(await ownerOf(secrets.account, fresh)).toMatchObject({
      account: { id: secrets.account.accountId },
    });
    await fresh.drop();
  });

  test('where the file was lost, new secrets open the same accounts and the lost key is revoked', async () => {
    const lost = await seed();
    await rm(path);
    const found = await seed();
    expect(found.account.accountId).toBe(lost.account.accountId);
    expect(found.account.apiKey).not.toBe(lost.account.apiKey);
    expect(await ownerOf(found.account)).toMatchObject({
      account: { id: lost.account.accountId },
      key: { revokedAt: null },
    });
    expect(await ownerOf(lost.account)).toMatchObject({ key: { revokedAt: expect.any(Date) as unknown } });
    const user = await store.collection(userCollection).findOne({ email: found.account.ownerEmail });
    expect(
      await argon2Passwords.verify(new Secret(found.account.ownerPassword), user?.passwordHash ?? ''),
    ).toBe(true);
  });

  test('a file of another kind is left alone', async () => {
    path = join(directory, 'seed.json');
    await writeFile(path, '{"account":{"accountId":"acc_1"}}');
    await expect(seed()).rejects.toThrow('is not a file of seeded accounts');
    expect(await readFile(path, 'utf8')).toBe('{"account":{"accountId":"acc_1"}}');
  });
});
