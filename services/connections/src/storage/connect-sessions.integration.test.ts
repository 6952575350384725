import { dataKeyCollection, mongoDataKeyStore } from '@fairlead/sealing/data-keys';
import { ringKeyEncryption } from '@fairlead/sealing/ring-key-encryption';
import { createSealer } from '@fairlead/sealing/sealing';
import { guid } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { hashSessionToken, MAX_REFUSED_ATTEMPTS } from '../domain/connect-session.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';
import { newConnection, newConnectSession, redeemableSignIn } from '../testing/builders.ts';
import { authProviderCollection } from './auth-provider.collection.ts';
import { connectSessionCollection } from './connect-session.collection.ts';
import { createConnectSessionRepository } from './connect-session.repository.ts';
import { connectionCollection } from './connection.collection.ts';
import { createConnectionCounts } from './connection-counts.ts';
import { connectionCountCollection } from './connection-count.collection.ts';
import { createConnectionRepository } from './connection.repository.ts';
import { createCredentialVault } from './credential-vault.ts';
import { endUserCollection } from './end-user.collection.ts';
import { signInCollection } from './sign-in.collection.ts';
import { createSignInRepository } from './sign-in.repository.ts';

const declared = [connectSessionCollection, endUserCollection, connectionCollection, signInCollection];
const ctx = testContext();
const accountId = 'acc_1';
const endUserId = 'customer-1';
const now = new Date();
const token = new Secret('cst_token');

let store: MongoStore & { drop(): Promise<void> };
let connections: ConnectionStore;
let sessions: ConnectSessionStore;
let signIns: SignInStore;

beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [
    ...declared,
    connectionCountCollection,
    authProviderCollection,
    dataKeyCollection,
  ]);
  const keyRing = { current: 'v1', keys: new Map([['v1', new Secret<Uint8Array>(Buffer.alloc(32, 1))]]) };
  const vault = createCredentialVault(
    createSealer({ encryption: ringKeyEncryption(keyRing), store: mongoDataKeyStore(store) }),
  );
  connections = createConnectionRepository(store, vault, createConnectionCounts(store), {
    record: () => Promise.resolve(),
  });
  sessions = createConnectSessionRepository(store);
  signIns = createSignInRepository(store, vault);
});

afterAll(() => store.drop());

const insert = async (sessionId?: string) =>
  await connections.insert(
    ctx,
    accountId,
    newConnection({ id: await connections.nextId(), accountId, endUserId, createdAt: now }),
    { maxConnections: 100, ...(sessionId !== undefined && { session: { sessionId, connectsOnce: false } }) },
  );

test('a session is stored without its token, which finds it', async () => {
  const session = await sessions.insert(
    ctx,
    newConnectSession({
      id: 'cs_stored',
      accountId,
      tokenHash: hashSessionToken(token),
      metadata: LazyJson.of({ 'a.$b': 1 }),
    }),
  );
  const stored = await store.collection(connectSessionCollection).findOne({ _id: 'cs_stored' });
  expect(JSON.stringify(stored)).not.toContain(token.reveal());
  expect(await sessions.findByToken(ctx, hashSessionToken(token))).toEqual(session);
  expect(session.metadata.parse()).toEqual({ 'a.$b': 1 });
  expect(await sessions.find(ctx, 'acc_2', 'cs_stored')).toBeUndefined();
  expect(await sessions.end(ctx, 'acc_2', 'cs_stored', { by: 'account', at: now })).toBeUndefined();
});

test('a connection is stored in a session that is open, or not at all', async () => {
  await sessions.insert(ctx, newConnectSession({ id: 'cs_ends', accountId, endUserId, createdAt: now }));
  const { id } = await insert('cs_ends');
  expect((await sessions.find(ctx, accountId, 'cs_ends'))?.connections).toMatchObject([{ connectionId: id }]);
  const ended = await sessions.end(ctx, accountId, 'cs_ends', { by: 'endUser', at: now });
  expect(ended).toMatchObject({ endedAt: now, endedBy: 'endUser' });
  const before = await connections.countOfEndUser(ctx, accountId, endUserId, 100);
  await expect(insert('cs_ends')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await connections.countOfEndUser(ctx, accountId, endUserId, 100)).toBe(before);
});

test('of attempts at the same time no more are counted than may be refused; what was not refused is taken back', async () => {
  const id = 'cs_tries';
  await sessions.insert(ctx, newConnectSession({ id, accountId, endUserId, createdAt: now }));
  const attempts = () =>
    Promise.all(
      Array.from({ length: MAX_REFUSED_ATTEMPTS + 5 }, () => sessions.countAttempt(ctx, accountId, id)),
    );
  expect((await attempts()).filter(Boolean)).toHaveLength(MAX_REFUSED_ATTEMPTS);
  await sessions.forgetAttempt(ctx, accountId, id);
  expect((await attempts()).filter(Boolean)).toHaveLength(1);
});

test.each(['ended', 'expired'])('a sign-in of a session that has %s meanwhile is removed', async (how) => {
  const id = `cs_late_${how}`;
  const { expiresAt } = await sessions.insert(
    ctx,
    newConnectSession({ id, accountId, endUserId, createdAt: now }),
  );
  if (how === 'ended') await sessions.end(ctx, accountId, id, { by: 'account', at: now });
  const state = guid();
  await signIns.insert(ctx, redeemableSignIn({ state, accountId, connectSessionId: id }));
  await sessions.addSignIn(ctx, accountId, id, state, how === 'ended' ? now : expiresAt);
  expect(await store.collection(signInCollection).countDocuments({ _id: state })).toBe(0);
});

test('the database has exactly the declared indexes, and no query of end users scans or sorts a collection', async () => {
  for (const { name, indexes } of declared) {
    const actual = await store.db.collection(name).listIndexes().toArray();
    const names = actual.map((index: { name: string }) => index.name).sort();
    expect(names).toEqual(['_id_', ...indexes.map((index) => index.name)].sort());
  }
  // Further sessions of the account and the end user, so that the database prefers the index.
  await Promise.all(Array.from({ length: 5 }, () => insert()));
  await store.db.command({ profile: 2 });
  await sessions.insert(ctx, newConnectSession({ id: 'cs_scan', accountId, endUserId, createdAt: now }));
  const { id } = await insert('cs_scan');
  const state = guid();
  await signIns.insert(ctx, redeemableSignIn({ state, accountId, connectSessionId: 'cs_scan' }));
  await sessions.addSignIn(ctx, accountId, 'cs_scan', state, now);
  await sessions.countAttempt(ctx, accountId, 'cs_scan');
  await sessions.forgetAttempt(ctx, accountId, 'cs_scan');
  await sessions.saveLastError(ctx, accountId, 'cs_scan', 'no', now);
  await sessions.find(ctx, accountId, 'cs_scan');
  await sessions.findByToken(ctx, hashSessionToken(token));
  await sessions.isOriginAllowed(ctx, 'https://app.example', now);
  const every = { kinds: ['Regular', 'Key'], applicationSlug: undefined, status: undefined } as const;
  await connections.list(ctx, accountId, { ...every, endUserId, offset: 0, top: 10 }, now);
  await connections.countOfEndUser(ctx, accountId, endUserId, 20);
  await connections.findOfEndUser(ctx, accountId, endUserId, ['crm', 'erp']);
  await connections.setDefault(ctx, accountId, id, now);
  await sessions.end(ctx, accountId, 'cs_scan', { by: 'account', at: now });
  await sessions.deleteOfEndUser(ctx, accountId, endUserId);
  expect(await connections.forgetEndUser(ctx, accountId, endUserId)).toBe(false);
  expect(await connections.forgetEndUser(ctx, accountId, 'customer-0')).toBe(true);
  await store.db.command({ profile: 0 });
  const profile = store.db.collection<{ ns: string; planSummary?: string }>('system.profile');
  const ours = declared.map(({ name }) => `${store.db.databaseName}.${name}`);
  const entries = await profile.find({ ns: { $in: ours } }).toArray();
  expect(entries.filter(({ planSummary }) => planSummary !== undefined).length).toBeGreaterThan(12);
  expect(entries.filter(({ planSummary }) => planSummary?.includes('COLLSCAN'))).toEqual([]);
  expect(entries.filter((entry) => 'hasSortStage' in entry)).toEqual([]);
});
