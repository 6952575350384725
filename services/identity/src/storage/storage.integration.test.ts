import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { connectMongo } from '@fairlead/service-kit/mongo/mongo';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import { testAccount, testApiKey, testUser } from '../testing/records.ts';
import { accountCollection, accountDocument } from './account.collection.ts';
import { accountRepository } from './account.repository.ts';
import { apiKeyCollection, apiKeyDocument } from './api-key.collection.ts';
import { apiKeyRepository } from './api-key.repository.ts';
import { credentialRepository, keyOwnerPipeline, memberPipeline } from './credential.repository.ts';
import { identityCollections, identityMigrations } from './identity-schema.ts';
import { userCollection, userDocument } from './user.collection.ts';
import { userRepository } from './user.repository.ts';

const ctx = testContext();
let store: Awaited<ReturnType<typeof testStore>>;

beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), identityCollections);
  await store.collection(accountCollection).insertOne(accountDocument(testAccount()));
  await store.collection(userCollection).insertOne(userDocument(testUser(), null));
  await store.collection(apiKeyCollection).insertOne(apiKeyDocument(testApiKey(), 'hash'));
});
afterAll(() => store.drop());

describe('finding credentials', () => {
  test('a key is found with its user and account', async () => {
    const found = await credentialRepository(store).findKeyOwner('hash');
    expect(found).toEqual({ key: testApiKey(), user: testUser(), account: testAccount() });
  });

  test('a user is found in its own account only', async () => {
    const credentials = credentialRepository(store);
    expect(await credentials.findMember('acc_1', 'usr_1')).toEqual({
      user: testUser(),
      account: testAccount(),
    });
    expect(await credentials.findMember('acc_2', 'usr_1')).toBeUndefined();
  });

  test('a key that names a user of another account has no owner', async () => {
    const key = testApiKey({ id: 'key_stray', accountId: 'acc_2' });
    await store.collection(accountCollection).insertOne(accountDocument(testAccount({ id: 'acc_2' })));
    await store.collection(apiKeyCollection).insertOne(apiKeyDocument(key, 'stray'));
    expect(await credentialRepository(store).findKeyOwner('stray')).toBeUndefined();
  });

  test('a key whose account is gone has no owner', async () => {
    const user = testUser({ id: 'usr_lost', accountId: 'acc_gone' });
    const key = testApiKey({ id: 'key_lost', accountId: 'acc_gone', userId: 'usr_lost' });
    await store.collection(userCollection).insertOne(userDocument(user, null));
    await store.collection(apiKeyCollection).insertOne(apiKeyDocument(key, 'lost'));
    expect(await credentialRepository(store).findKeyOwner('lost')).toBeUndefined();
  });
});

describe('what the database holds by itself', () => {
  test.each([userCollection.name, apiKeyCollection.name])(
    '%s: no two users of an account share an e-mail address, nor two keys a hash',
    async (name) => {
      const documents = store.db.collection<{ _id: string }>(name);
      const document = await documents.findOne();
      await expect(documents.insertOne({ ...document, _id: 'other' })).rejects.toThrow('E11000');
    },
  );

  test('the same e-mail address may be in several accounts', async () => {
    const user = testUser({ id: 'usr_2', accountId: 'acc_2' });
    await store.collection(userCollection).insertOne(userDocument(user, null));
    expect(await userRepository(store).list(ctx, 'acc_2', { offset: 0, top: 1 })).toMatchObject({
      totalCount: 1,
    });
  });
});

describe('no query reads a whole collection', () => {
  const newest = { createdAt: -1, _id: -1 } as const;

  test.each<[string, () => Promise<Document>]>([
    ['accounts', () => store.collection(accountCollection).find().sort(newest).explain()],
    ['users', () => store.collection(userCollection).find({ accountId: 'acc_1' }).sort(newest).explain()],
    [
      'owners',
      () =>
        store
          .collection(userCollection)
          .find({ accountId: 'acc_1', role: 'owner', isActive: true, _id: { $ne: 'usr_1' } })
          .explain(),
    ],
    [
      'API keys',
      () =>
        store
          .collection(apiKeyCollection)
          .find({ accountId: 'acc_1', revokedAt: null })
          .sort(newest)
          .explain(),
    ],
    [
      'all API keys',
      () => store.collection(apiKeyCollection).find({ accountId: 'acc_1' }).sort(newest).explain(),
    ],
  ])('listing %s', async (name, explain) => {
    const { queryPlanner } = (await explain()) as { queryPlanner: { winningPlan: object } };
    const plan = JSON.stringify(queryPlanner.winningPlan);
    expect(plan).toContain('IXSCAN');
    expect(plan).not.toContain('COLLSCAN');
    // Pages come in the order of an index; an export may sort.
    expect(plan.includes('"SORT"')).toBe(name.startsWith('all'));
  });

  test.each<[string, () => Promise<Document>]>([
    [
      'the owner of a key',
      () => store.collection(apiKeyCollection).aggregate(keyOwnerPipeline('hash')).explain('executionStats'),
    ],
    [
      'a member',
      () =>
        store
          .collection(userCollection)
          .aggregate(memberPipeline({ _id: 'usr_1', accountId: 'acc_1' }))
          .explain('executionStats'),
    ],
    [
      'those who sign in',
      () =>
        store
          .collection(userCollection)
          .aggregate(memberPipeline({ email: 'mara@test.example', isActive: true }))
          .explain('executionStats'),
    ],
  ])('finding %s', async (_name, explain) => {
    const text = JSON.stringify(await explain());
    expect(text).not.toContain('COLLSCAN');
    const scans = [...text.matchAll(/"collectionScans":"?(\d+)/g)].map(([, count]) => count);
    expect(scans.length).toBeGreaterThan(0);
    expect(new Set(scans)).toEqual(new Set(['0']));
  });
});

test('the last use of a key only moves on', async () => {
  const apiKeys = apiKeyRepository(store);
  const lastUse = async () =>
    (await store.collection(apiKeyCollection).findOne({ _id: 'key_1' }))?.lastUsedAt;
  await apiKeys.recordUses(new Map([['key_1', new Date(2_000)]]));
  await apiKeys.recordUses(new Map([['key_1', new Date(1_000)]]));
  expect(await lastUse()).toEqual(new Date(2_000));
  await apiKeys.recordUses(new Map([['key_1', new Date(3_000)]]));
  expect(await lastUse()).toEqual(new Date(3_000));
});

describe('documents of earlier versions', () => {
  const made = { createdAt: new Date(1), updatedAt: new Date(1) };

  /** A database as the version before left it: users of no account, memberships, accounts without settings. */
  async function oldDatabase() {
    const old = await testStore(inject('mongodbUri'), []);
    const insert = (name: string, ...documents: object[]) =>
      old.db
        .collection<{ _id: string }>(name)
        .insertMany(documents.map((it) => ({ _id: '', ...made, ...it })));
    const account = { name: 'Account', isRbacEnabled: true };
    await insert('accounts', { _id: 'acc_1', ...account }, { _id: 'acc_2', ...account });
    await old.db.collection('users').createIndex({ email: 1 }, { unique: true });
    const user = { email: 'mara@test.example', name: 'Mara', passwordHash: 'phc' };
    await insert(
      'users',
      { _id: 'usr_1', ...user },
      { _id: 'usr_half', ...user, email: 'half@test.example' },
    );
    await insert(
      'memberships',
      { _id: 'mem_1', accountId: 'acc_1', userId: 'usr_1', role: 'member', isActive: true },
      { _id: 'mem_2', accountId: 'acc_2', userId: 'usr_1', role: 'owner', isActive: false },
    );
    const key = { userId: 'usr_1', name: 'Key', expiresAt: null, revokedAt: null };
    await insert(
      'api_keys',
      { _id: 'key_1', accountId: 'acc_1', hash: 'h1', ...key },
      { _id: 'key_2', accountId: 'acc_2', hash: 'h2', ...key },
    );
    return old;
  }

  test('each member becomes a user of the account, keys and sign-in go on, and settings have their defaults', async () => {
    const old = await oldDatabase();
    // Half-way, as where the process died: the first member is moved already.
    await identityMigrations[0]?.up(old.db);
    await old.db
      .collection<{ _id: string }>('users')
      .updateOne({ _id: 'usr_1' }, { $set: { accountId: 'acc_1', role: 'member', isActive: true } });
    const migrated = await connectMongo({
      uri: new Secret(inject('mongodbUri')),
      database: old.db.databaseName,
      log: createLogger({ service: 'test', level: 'silent' }),
      collections: identityCollections,
      migrations: identityMigrations,
    });
    await migrated.close();

    const credentials = credentialRepository(old);
    expect(await credentials.findKeyOwner('h1')).toMatchObject({
      account: { id: 'acc_1', budgets: DEFAULT_BUDGETS, defaultLicence: 'active', erasingAt: null },
      user: { id: 'usr_1', accountId: 'acc_1', role: 'member', isActive: true },
      key: { id: 'key_1', maskedKey: null, lastUsedAt: null },
    });
    expect(await credentials.findKeyOwner('h2')).toMatchObject({
      account: { id: 'acc_2' },
      user: { accountId: 'acc_2', role: 'owner', isActive: false, email: 'mara@test.example' },
    });
    expect(await credentials.findByEmail('mara@test.example')).toMatchObject([
      { member: { account: { id: 'acc_1' } }, passwordHash: 'phc' },
      { member: { account: { id: 'acc_2' }, user: { isActive: false } }, passwordHash: 'phc' },
    ]);
    expect(await old.collection(userCollection).countDocuments()).toBe(2);
    expect(await accountRepository(old).list(ctx, { offset: 0, top: 10 })).toMatchObject({ totalCount: 2 });
    await old.drop();
  });
});
