import { dataKeyCollection, mongoDataKeyStore } from '@fairlead/sealing/data-keys';
import { ringKeyEncryption } from '@fairlead/sealing/ring-key-encryption';
import { createSealer } from '@fairlead/sealing/sealing';
import { guid } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { Secret } from '@fairlead/service-kit/secret';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import { testContext } from '@fairlead/service-kit/testing/context';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { CredentialChanged } from '../domain/connection.ts';
import type { Tokens } from '../domain/credential.ts';
import type { ConnectionStore, NewCredential } from '../ports/connection-store.ts';
import type { CredentialStore, LeaseKey } from '../ports/credential-store.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';
import {
  completedSignIn,
  details,
  newConnection,
  newCredential,
  redeemableSignIn,
  tokens,
} from '../testing/builders.ts';
import type { ConnectionChanges } from './connection-changes.ts';
import { connectionCollection } from './connection.collection.ts';
import { createConnectionCounts } from './connection-counts.ts';
import { createConnectionRepository } from './connection.repository.ts';
import { createCredentialVault } from './credential-vault.ts';
import { createCredentialRepository } from './credential.repository.ts';
import { signInCollection } from './sign-in.collection.ts';
import { createSignInRepository } from './sign-in.repository.ts';

let store: MongoStore & { drop(): Promise<void> };
let connections: ConnectionStore;
let credentials: CredentialStore;
let signIns: SignInStore;

const ctx = testContext();
const accountId = 'acc_1';
const owner = { accountId, userId: 'usr_1', connectSessionId: null };
const now = new Date();
const until = new Date(now.getTime() + 30_000);
const saved = { vendor: 'vendor.example', now };
const failed = { failingSince: now, retryAt: until };

/** Set by tests to make writing change records fail. */
let recordFailure: Error | undefined;
const changes: ConnectionChanges = {
  record: () => (recordFailure === undefined ? Promise.resolve() : Promise.reject(recordFailure)),
};

beforeAll(async () => {
  const collections = [connectionCollection, signInCollection, dataKeyCollection];
  store = await testStore(inject('mongodbUri'), collections);
  const keyRing = { current: 'v1', keys: new Map([['v1', new Secret<Uint8Array>(Buffer.alloc(32, 1))]]) };
  const vault = createCredentialVault(
    createSealer({ encryption: ringKeyEncryption(keyRing), store: mongoDataKeyStore(store) }),
  );
  connections = createConnectionRepository(store, vault, createConnectionCounts(store), changes);
  credentials = createCredentialRepository(store, vault, changes, { note: () => undefined });
  signIns = createSignInRepository(store, vault);
});

afterAll(() => store.drop());

function tokensOf(name: string): Tokens {
  return tokens({ accessToken: new Secret(`access-${name}`), obtainedAt: now, expiresAt: until });
}

const credential = (over: Partial<NewCredential> = {}): NewCredential =>
  newCredential({ tokens: tokensOf('1'), ...over });

async function insert(): Promise<LeaseKey> {
  const connectionId = await connections.nextId();
  const given = newConnection({ id: connectionId, accountId, credential: credential(), createdAt: now });
  await connections.insert(ctx, accountId, given);
  return { accountId, connectionId, owner: guid() };
}

async function accessTokenOf({ connectionId }: LeaseKey): Promise<string | undefined> {
  const opened = await credentials.read(ctx, accountId, connectionId, 'call');
  return opened?.credential.tokens?.accessToken.reveal();
}

const change = (given: NewCredential) => ({
  details: details(),
  credential: given,
  applicationName: undefined,
  now,
});

async function insertSignIn(): Promise<string> {
  const state = guid();
  await signIns.insert(ctx, redeemableSignIn({ accountId, state, createdAt: now, expiresAt: until }));
  return state;
}

describe('ids', () => {
  test('are counted from 1, each given once', async () => {
    const fresh = await testStore(inject('mongodbUri'), []);
    const vault = createCredentialVault(
      createSealer({
        encryption: ringKeyEncryption({ current: '', keys: new Map() }),
        store: mongoDataKeyStore(fresh),
      }),
    );
    const repository = createConnectionRepository(fresh, vault, createConnectionCounts(fresh), changes);
    expect(await repository.nextId()).toBe(1);
    const ids = await Promise.all(Array.from({ length: 20 }, () => repository.nextId()));
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 2));
    await fresh.drop();
  });
});

describe('the lease', () => {
  test('is held by one holder until it expires, and a holder that lost it writes nothing', async () => {
    const first = await insert();
    const second = { ...first, owner: guid() };
    expect(await credentials.claim(ctx, first, { version: 1, now, until })).toMatchObject({
      kind: 'claimed',
    });
    expect(await credentials.claim(ctx, second, { version: 1, now, until })).toEqual({ kind: 'held' });
    const claim = { version: 1, now: until, until: new Date(until.getTime() + 30_000) };
    expect(await credentials.claim(ctx, second, claim)).toMatchObject({ kind: 'claimed' });
    await credentials.saveTokens(ctx, first, tokensOf('late'), saved);
    await credentials.saveRefusal(ctx, first, { reason: 'no', now });
    await credentials.saveFailure(ctx, first, failed);
    expect(await credentials.claim(ctx, first, claim)).toEqual({ kind: 'held' });
    expect(await accessTokenOf(first)).toBe('access-1');
    await credentials.saveTokens(ctx, second, tokensOf('2'), saved);
    expect(await accessTokenOf(first)).toBe('access-2');
    expect(await credentials.claim(ctx, first, claim)).toEqual({ kind: 'changed' });
  });

  test('that was released leaves the credential as it was', async () => {
    const key = await insert();
    await credentials.claim(ctx, key, { version: 1, now, until });
    await credentials.saveFailure(ctx, key, failed);
    expect(await credentials.claim(ctx, key, { version: 1, now, until })).toMatchObject({ kind: 'claimed' });
  });

  test('ends with a replacement of the tokens: a late response for the former ones is dropped', async () => {
    const key = await insert();
    await credentials.claim(ctx, key, { version: 1, now, until });
    await connections.replace(
      ctx,
      accountId,
      key.connectionId,
      change(credential({ tokens: tokensOf('new') })),
    );
    await credentials.saveTokens(ctx, key, tokensOf('late'), saved);
    await credentials.saveRefusal(ctx, key, { reason: 'no', now });
    const opened = await credentials.read(ctx, accountId, key.connectionId, 'call');
    expect(opened?.connection).toMatchObject({ credentialVersion: 2, needsReauthentication: false });
    expect(await accessTokenOf(key)).toBe('access-new');
  });

  test('outlives a change of other fields: the new tokens are kept', async () => {
    const key = await insert();
    await credentials.claim(ctx, key, { version: 1, now, until });
    await connections.replace(ctx, accountId, key.connectionId, change(credential({ tokens: 'keep' })));
    expect(await accessTokenOf(key)).toBe('access-1');
    await credentials.saveTokens(ctx, key, tokensOf('2'), saved);
    const opened = await credentials.read(ctx, accountId, key.connectionId, 'call');
    expect(opened?.connection.credentialVersion).toBe(3);
    expect(await accessTokenOf(key)).toBe('access-2');
  });

  test('is not granted for a credential that the vendor refused, nor for one that is gone', async () => {
    const key = await insert();
    await credentials.claim(ctx, key, { version: 1, now, until });
    await credentials.saveRefusal(ctx, key, { reason: 'no', now });
    expect(await credentials.claim(ctx, key, { version: 1, now, until })).toEqual({ kind: 'changed' });
    expect((await connections.find(ctx, accountId, key.connectionId))?.needsReauthentication).toBe(true);
    expect(await accessTokenOf(key)).toBe('access-1');
    await connections.delete(ctx, accountId, key.connectionId, now);
    expect(await credentials.claim(ctx, key, { version: 1, now, until })).toEqual({ kind: 'changed' });
  });
});

describe('a replacement that keeps the tokens of one version', () => {
  test('writes nothing over another version', async () => {
    const { connectionId: id } = await insert();
    const renewed = credential({ tokens: tokensOf('new'), authProviderId: 0 });
    await connections.replace(ctx, accountId, id, change(renewed));
    const stored = await connections.find(ctx, accountId, id);
    const kept = change(credential({ tokens: 'keep', authProviderId: null }));
    const late = connections.replace(ctx, accountId, id, { ...kept, ofVersion: 1 });
    await expect(late).rejects.toBeInstanceOf(CredentialChanged);
    expect(await connections.find(ctx, accountId, id)).toEqual(stored);
    await connections.replace(ctx, accountId, id, { ...kept, ofVersion: 2 });
    expect(await connections.find(ctx, accountId, id)).toMatchObject({
      credentialVersion: 3,
      authProviderId: null,
    });
  });
});

describe('granted scopes', () => {
  const scopesOf = async (id: number) => (await connections.find(ctx, accountId, id))?.grantedScopes;

  test('are those of the credential, of its last refresh that named any, or null', async () => {
    const key = await insert();
    const id = key.connectionId;
    expect(await scopesOf(id)).toBeNull();
    const signedIn = credential({ tokens: tokensOf('2'), grantedScopes: ['$read'] });
    await connections.replace(ctx, accountId, id, change(signedIn));
    expect(await scopesOf(id)).toEqual(['$read']);
    await credentials.claim(ctx, key, { version: 2, now, until });
    await credentials.saveTokens(ctx, key, tokensOf('3'), saved);
    expect(await scopesOf(id)).toEqual(['$read']);
    await credentials.claim(ctx, key, { version: 3, now, until });
    await credentials.saveTokens(ctx, key, tokensOf('4'), { ...saved, grantedScopes: ['$less'] });
    expect(await scopesOf(id)).toEqual(['$less']);
    await connections.replace(ctx, accountId, id, change(credential({ tokens: 'keep' })));
    expect(await scopesOf(id)).toEqual(['$less']);
  });
});

describe('what a newer release stored in a connection', () => {
  test('stays, whatever this release writes', async () => {
    const key = await insert();
    const { connectionId: id } = key;
    const documents = store.db.collection<{ _id: number }>(connectionCollection.name);
    const theirs = { note: 1, 'licence.note': 2, 'credential.note': 3, 'credential.tokens.note': 4 };
    await documents.updateOne({ _id: id }, { $set: theirs });
    await connections.setDefault(ctx, accountId, id, now);
    await connections.setLicence(ctx, accountId, id, { status: 'active', expiresAt: until }, now);
    await credentials.claim(ctx, key, { version: 1, now, until });
    await credentials.saveTokens(ctx, key, tokensOf('2'), saved);
    await connections.replace(ctx, accountId, id, change(credential({ tokens: 'keep' })));
    expect(await documents.findOne({ _id: id })).toMatchObject({
      note: 1,
      licence: { status: 'active', note: 2 },
      credential: { note: 3, tokens: { note: 4 } },
    });
    expect(await accessTokenOf(key)).toBe('access-2');
  });

  test('does not prevent the first tokens of a credential', async () => {
    const connectionId = await connections.nextId();
    const given = newConnection({ id: connectionId, accountId, credential: credential({ tokens: null }) });
    await connections.insert(ctx, accountId, given);
    const key = { accountId, connectionId, owner: guid() };
    await credentials.claim(ctx, key, { version: 1, now, until });
    await credentials.saveTokens(ctx, key, tokensOf('1'), saved);
    expect(await accessTokenOf(key)).toBe('access-1');
  });
});

describe('a write whose change record cannot be written', () => {
  test('is not applied', async () => {
    const key = await insert();
    const id = key.connectionId;
    await credentials.claim(ctx, key, { version: 1, now, until });
    const documents = store.collection(connectionCollection);
    const stored = await documents.find().toArray();
    recordFailure = new Error('no record');
    const writes = [
      () => insert(),
      () => connections.replace(ctx, accountId, id, change(credential())),
      () => connections.setLicence(ctx, accountId, id, { status: 'none', expiresAt: null }, now),
      () => connections.delete(ctx, accountId, id, now),
      () => credentials.saveRefusal(ctx, key, { reason: 'no', now }),
    ];
    for (const write of writes) await expect(write()).rejects.toBe(recordFailure);
    recordFailure = undefined;
    expect(await documents.find().toArray()).toEqual(stored);
  });
});

describe('a sealed value', () => {
  test('does not open in another record', async () => {
    const [mine, other] = [await insert(), await insert()];
    const collection = store.collection(connectionCollection);
    const stolen = await collection.findOne({ _id: mine.connectionId });
    await collection.updateOne(
      { _id: other.connectionId },
      { $set: { 'credential.secrets': stolen?.credential.secrets ?? null } },
    );
    await expect(credentials.read(ctx, accountId, other.connectionId, 'call')).rejects.toThrow('sealed');
  });
});

describe('an opening of a credential', () => {
  test('is a log line with the id of the request and what it was for, and never names a secret or a state', async () => {
    const { log, lines, text } = captureLog();
    const logged = testContext({ log, requestId: 'req-1' });
    const key = await insert();
    await credentials.read(logged, accountId, key.connectionId, 'call');
    await credentials.read(logged, accountId, key.connectionId, 'test');
    await credentials.claim(logged, key, { version: 1, now, until });
    const state = await insertSignIn();
    await signIns.bind(logged, { state, connectSessionId: null }, 'hash', now);
    const claimed = await signIns.claim(logged, state, 'hash', now);
    if (claimed === undefined) throw new Error('not claimed');
    await signIns.complete(logged, claimed, completedSignIn().outcome);
    await signIns.find(logged, owner, state, now);
    const { connectionId } = key;
    const common = { msg: 'opened a credential', level: 'info', requestId: 'req-1', accountId };
    expect(lines()).toMatchObject([
      { ...common, purpose: 'call', connectionId },
      { ...common, purpose: 'test', connectionId },
      { ...common, purpose: 'refresh', connectionId },
      { ...common, purpose: 'signIn' },
      { ...common, purpose: 'signIn' },
    ]);
    for (const secret of [state, 'access', 'refresh"', 'verifier'])
      expect(text().replaceAll('"purpose":"refresh"', '')).not.toContain(secret);
    const page = registry.render();
    for (const purpose of ['call', 'test', 'refresh', 'signIn'])
      expect(page).toMatch(
        new RegExp(`credential_openings_total\\{purpose="${purpose}",outcome="ok"\\} [1-9]`),
      );
    expect(page).not.toContain(accountId);
  });

  test('that fails is logged as an error and counted', async () => {
    const { log, lines } = captureLog();
    const { connectionId } = await insert();
    const broken = { $set: { 'credential.tokens.sealed': 's1.no.key' } };
    await store.db.collection<{ _id: number }>('connections').updateOne({ _id: connectionId }, broken);
    const opening = credentials.read(testContext({ log }), accountId, connectionId, 'call');
    await expect(opening).rejects.toThrow('does not exist');
    expect(lines()).toMatchObject([
      { level: 'error', msg: 'could not open a credential', purpose: 'call', accountId, connectionId },
    ]);
    expect(registry.render()).toMatch(/credential_openings_total\{purpose="call",outcome="failed"\} [1-9]/);
  });
});

describe('a sign-in', () => {
  test('that a failing write would consume stays usable', async () => {
    const state = await insertSignIn();
    await signIns.bind(ctx, { state, connectSessionId: null }, 'hash', now);
    const claimed = await signIns.claim(ctx, state, 'hash', now);
    if (claimed === undefined) throw new Error('not claimed');
    const outcome = { tokens: tokensOf('s'), suggestedName: 's', grantedScopes: [], fieldOptions: {} };
    await signIns.complete(ctx, claimed, outcome);
    const replacement = change(credential({ consumes: state }));
    await expect(connections.replace(ctx, accountId, 999_999, replacement)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const found = await signIns.find(ctx, owner, state, now);
    expect(found?.status).toBe('completed');
  });
});

describe('the database', () => {
  test.each([connectionCollection, signInCollection])(
    'has exactly the declared indexes of $name',
    async (definition) => {
      const actual = await store.db.collection(definition.name).listIndexes().toArray();
      const declared = definition.indexes.map(({ name }) => name);
      expect(actual.map((index: { name: string }) => index.name).sort()).toEqual(
        ['_id_', ...declared].sort(),
      );
    },
  );

  test('scans no collection for any query of the service', async () => {
    const key = await insert();
    const id = key.connectionId;
    const state = await insertSignIn();
    await store.db.command({ profile: 2 });
    await insert();
    await connections.find(ctx, accountId, id);
    await connections.findDefaults(ctx, accountId, ['crm', 'erp']);
    await connections.takenNames(ctx, accountId, 'crm', ['CRM', 'CRM 2']);
    await connections.replace(ctx, accountId, id, change(credential()));
    await connections.setDefault(ctx, accountId, id, now);
    await connections.setLicence(ctx, accountId, id, { status: 'none', expiresAt: null }, now);
    await credentials.read(ctx, accountId, id, 'call');
    await credentials.claim(ctx, key, { version: 2, now, until });
    await credentials.claim(ctx, key, { version: 2, now, until });
    await credentials.saveTokens(ctx, key, tokensOf('2'), saved);
    await credentials.saveFailure(ctx, key, failed);
    await connections.delete(ctx, accountId, id, now);
    await signIns.find(ctx, owner, state, now);
    await signIns.bind(ctx, { state, connectSessionId: null }, 'hash', now);
    const claimed = await signIns.claim(ctx, state, 'hash', now);
    if (claimed === undefined) throw new Error('not claimed');
    await signIns.fail(ctx, claimed, 'no');
    await store.db.command({ profile: 0 });

    const profile = store.db.collection<{ ns: string; planSummary?: string; command: object }>(
      'system.profile',
    );
    const ours = [connectionCollection.name, signInCollection.name].map(
      (name) => `${store.db.databaseName}.${name}`,
    );
    const entries = await profile.find({ ns: { $in: ours } }).toArray();
    expect(entries.filter(({ planSummary }) => planSummary !== undefined).length).toBeGreaterThan(15);
    expect(entries.filter(({ planSummary }) => planSummary?.includes('COLLSCAN'))).toEqual([]);
    const sorts = entries.filter((entry) => 'hasSortStage' in entry);
    expect(sorts).toEqual([]);
  });
});
