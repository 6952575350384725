import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import type { Document } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { testAccount, testApiKey, testUser } from '../testing/records.ts';
import { accountCollection, accountDocument } from './account.collection.ts';
import { accountRepository } from './account.repository.ts';
import { apiKeyCollection, apiKeyDocument } from './api-key.collection.ts';
import { createPeople } from '../pages/members.ts';
import { testPasswords } from '../testing/passwords.ts';
import {
  credentialRepository,
  keyOwnersPipeline,
  memberPipeline,
  tokenOwnerPipeline,
} from './credential.repository.ts';
import { oauthArtifactCollection } from './oauth-artifact.collection.ts';
import { oauthClientCollection } from './oauth-client.collection.ts';
import { oauthGrantCollection } from './oauth-grant.collection.ts';
import { schema } from './schema.ts';
import { signInEndCollection } from './sign-in-end.collection.ts';
import { upstreamLinkCollection } from './upstream-link.collection.ts';
import { userCollection, userDocument } from './user.collection.ts';
import { userRepository } from './user.repository.ts';

const NOW = new Date();
const ctx = testContext();
let store: Awaited<ReturnType<typeof testStore>>;

beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
  await store.collection(accountCollection).insertOne(accountDocument(testAccount()));
  await store.collection(userCollection).insertOne(userDocument(testUser(), null));
  await store.collection(apiKeyCollection).insertOne(apiKeyDocument(testApiKey(), 'hash'));
});
afterAll(() => store.drop());

const credentials = () => credentialRepository({ store, clock: new ManualClock(NOW) });

describe('finding credentials', () => {
  test('a key is found with its user and account', async () => {
    const found = (await credentials().findKeyOwners(ctx, ['other', 'hash'])).get('hash');
    expect(found).toEqual({ key: testApiKey(), user: testUser(), account: testAccount() });
  });

  test('a key that names a user of another account has no owner', async () => {
    const key = testApiKey({ id: 'key_stray', accountId: 'acc_2' });
    await store.collection(accountCollection).insertOne(accountDocument(testAccount({ id: 'acc_2' })));
    await store.collection(apiKeyCollection).insertOne(apiKeyDocument(key, 'stray'));
    expect(await credentials().findKeyOwners(ctx, ['stray'])).toEqual(new Map());
  });

  test('a key whose account is gone has no owner', async () => {
    const user = testUser({ id: 'usr_lost', accountId: 'acc_gone' });
    const key = testApiKey({ id: 'key_lost', accountId: 'acc_gone', userId: 'usr_lost' });
    await store.collection(userCollection).insertOne(userDocument(user, null));
    await store.collection(apiKeyCollection).insertOne(apiKeyDocument(key, 'lost'));
    expect(await credentials().findKeyOwners(ctx, ['lost'])).toEqual(new Map());
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
  const TOKEN = { accountId: 'acc_1', userId: 'usr_1', clientId: 'client_1', tokenId: 'token' };

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
    [
      'keys of a toolset',
      () =>
        store
          .collection(apiKeyCollection)
          .find({ accountId: 'acc_1', toolsetId: 'toolset-1', revokedAt: null })
          .hint('of_toolset')
          .explain(),
    ],
    [
      'OAuth clients',
      () => store.collection(oauthClientCollection).find({ accountId: 'acc_1' }).sort(newest).explain(),
    ],
    [
      'grants',
      () =>
        store
          .collection(oauthGrantCollection)
          .find({ accountId: 'acc_1', _id: { $gt: 'grant' } })
          .sort({ _id: 1 })
          .explain(),
    ],
    ['grants of a client', () => store.collection(oauthGrantCollection).find({ clientId: 'c' }).explain()],
    [
      'grants of a user',
      () => store.collection(oauthGrantCollection).find({ accountId: 'acc_1', userId: 'usr_1' }).explain(),
    ],
    [
      'tokens of grants',
      () =>
        store
          .collection(oauthArtifactCollection)
          .find({ grantId: { $in: ['a', 'b'] } })
          .explain(),
    ],
    [
      'sessions',
      () => store.collection(oauthArtifactCollection).find({ accountId: 'acc_1', userId: 'usr_1' }).explain(),
    ],
    ['ended sign-ins', () => store.collection(signInEndCollection).find({ accountId: 'acc_1' }).explain()],
    ['links', () => store.collection(upstreamLinkCollection).find({ accountId: 'acc_1' }).explain()],
    ['unused clients', () => store.collection(oauthClientCollection).find({ isUsed: false }).explain()],
  ])('listing %s', async (_name, explain) => {
    const { queryPlanner } = (await explain()) as { queryPlanner: { winningPlan: object } };
    const plan = JSON.stringify(queryPlanner.winningPlan);
    expect(plan).toContain('IXSCAN');
    expect(plan).not.toContain('COLLSCAN');
    // Pages are read in index order.
    expect(plan).not.toContain('"SORT"');
  });

  test.each<[string, () => Promise<Document>]>([
    [
      'the owner of a key',
      () =>
        store
          .collection(apiKeyCollection)
          .aggregate(keyOwnersPipeline(['hash', 'other']))
          .explain('executionStats'),
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
      'the owner of a token with a grant',
      () =>
        store
          .collection(userCollection)
          .aggregate(tokenOwnerPipeline({ ...TOKEN, grantId: 'grant' }, NOW))
          .explain('executionStats'),
    ],
    [
      'the owner of a token of client credentials',
      () =>
        store
          .collection(userCollection)
          .aggregate(tokenOwnerPipeline({ ...TOKEN, grantId: undefined }, NOW))
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

describe('who signs in', () => {
  const PASSWORD = new Secret('correct horse battery');
  const people = () => createPeople({ credentials: credentials(), passwords: testPasswords });

  async function person(
    accountId: string,
    o: { readonly password?: Secret; readonly isActive?: boolean } = {},
  ): Promise<string> {
    const user = testUser({
      id: `usr_${accountId}`,
      accountId,
      email: 'p@test.example',
      isActive: o.isActive ?? true,
    });
    const passwordHash = o.password === undefined ? null : await testPasswords.hash(o.password);
    await store.collection(userCollection).insertOne(userDocument(user, passwordHash));
    return user.id;
  }
  beforeEach(async () => {
    await store.collection(userCollection).deleteMany({ email: 'p@test.example' });
    await store.collection(accountCollection).deleteMany({ name: /^Sign-in/ });
    for (const [id, name] of [
      ['acc_b', 'Sign-in B'],
      ['acc_a', 'Sign-in A'],
    ] as const)
      await store.collection(accountCollection).insertOne(accountDocument(testAccount({ id, name })));
  });

  test('a password opens the accounts that it was set for, whatever the case of the e-mail', async () => {
    await person('acc_b', { password: PASSWORD });
    await person('acc_a', { password: PASSWORD });
    const members = await people().verifyPassword('P@test.example', PASSWORD);
    expect(members.map(({ account }) => account.name)).toEqual(['Sign-in A', 'Sign-in B']);
    expect(await people().verifyPassword('p@test.example', new Secret('wrong password'))).toEqual([]);
    expect(await people().verifyPassword('nobody@test.example', PASSWORD)).toEqual([]);
  });

  test('a user who is not active proves the password all the same, and may act nowhere', async () => {
    const id = await person('acc_a', { password: PASSWORD, isActive: false });
    expect(await people().verifyPassword('p@test.example', PASSWORD)).toMatchObject([
      { user: { id, isActive: false } },
    ]);
    expect(await people().findMembershipsOf(id)).toEqual([]);
    // Data that a deleted user left behind, and that an erasure must remove.
    expect(await credentials().findAccountOf(id)).toBe('acc_a');
    expect(await credentials().findAccountOf('usr_unknown')).toBeUndefined();
  });

  test('no password opens a user without one, nor anybody of a closed account', async () => {
    const id = await person('acc_a');
    expect(await people().verifyPassword('p@test.example', new Secret(''))).toEqual([]);
    expect(await people().findMembersByEmail('P@test.example')).toMatchObject([{ user: { id } }]);
    expect(await people().findMembershipsOf(id)).toMatchObject([{ user: { id } }]);
    await accountRepository(store).markErasing(ctx, 'acc_a', NOW);
    expect(await people().findMembersByEmail('p@test.example')).toEqual([]);
    expect(await people().findMembershipsOf(id)).toEqual([]);
  });
});
