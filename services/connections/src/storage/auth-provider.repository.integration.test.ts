import { mongoDataKeyStore } from '@fairlead/sealing/data-keys';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { ringKeyEncryption } from '@fairlead/sealing/ring-key-encryption';
import { createSealer } from '@fairlead/sealing/sealing';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { AuthProvider } from '../domain/auth-provider.ts';
import type { AuthProviderStore, NewAuthProvider } from '../ports/auth-provider-store.ts';
import type { ConnectionStore, NewCredential } from '../ports/connection-store.ts';
import { details, newConnection, newCredential } from '../testing/builders.ts';
import { authProviderCollection } from './auth-provider.collection.ts';
import { createAuthProviderRepository } from './auth-provider.repository.ts';
import { connectionCollection } from './connection.collection.ts';
import { createConnectionCounts } from './connection-counts.ts';
import { createConnectionRepository } from './connection.repository.ts';
import { createCredentialVault } from './credential-vault.ts';
import { schema } from './schema.ts';

const ctx = testContext();
const accountId = 'acc_1';
const now = new Date();
const later = new Date(now.getTime() + 1000);

let store: Awaited<ReturnType<typeof testStore>>;
let providers: AuthProviderStore;
let connections: ConnectionStore;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
  const encryption = ringKeyEncryption(parseKeyRing(`v1:${Buffer.alloc(32, 1).toString('base64')}`));
  const vault = createCredentialVault(createSealer({ encryption, store: mongoDataKeyStore(store) }));
  providers = createAuthProviderRepository(store, vault);
  connections = createConnectionRepository(store, vault, createConnectionCounts(store), {
    record: () => Promise.resolve(),
  });
});
afterAll(() => store.drop());

async function insert(over: Partial<NewAuthProvider> = {}): Promise<number> {
  const id = await providers.nextId();
  const given = {
    id,
    accountId,
    name: `Provider ${id}`,
    applicationSlug: 'crm',
    authenticationId: 0,
    isDefault: false,
    isEnabled: true,
    scopes: null,
    slots: { plain: { Key1: 'id' }, secret: { Key2: 's3cr3t' }, cleared: [] },
    createdAt: now,
    ...over,
  };
  expect(await providers.insert(ctx, given)).toMatchObject({ id });
  return id;
}

/** A change at that time that is always allowed and keeps the address. */
const at = (time: Date) => ({ isMove: () => false, now: time });

async function connectThrough(authProviderId: number): Promise<number> {
  const id = await connections.nextId();
  const given = newConnection({
    id,
    accountId,
    credential: newCredential({ authProviderId }),
    createdAt: now,
  });
  return (await connections.insert(ctx, accountId, given)).id;
}

const defaultsOf = (applicationSlug: string): Promise<number[]> =>
  store
    .collection(authProviderCollection)
    .find({ accountId, applicationSlug, isDefault: true })
    .map(({ _id }) => _id)
    .toArray();

test('a secret is stored sealed, and opened by id, by name and as a default', async () => {
  const id = await insert({ name: 'Sealed', applicationSlug: 'sealed', isDefault: true });
  const stored = await store.collection(authProviderCollection).findOne({ _id: id });
  expect(JSON.stringify(stored)).not.toContain('s3cr3t');
  const selectors = [
    { id },
    { name: 'Sealed' },
    { defaultOf: { applicationSlug: 'sealed', authenticationId: 0 } },
  ] as const;
  for (const by of selectors) {
    const opened = await providers.open(ctx, accountId, by);
    expect(opened?.provider).toMatchObject({ id, values: { Key1: 'id' }, secretSlots: ['Key2'] });
    expect(opened?.secrets.reveal()).toEqual({ Key2: 's3cr3t' });
    expect(await providers.open(ctx, 'acc_2', by)).toBeUndefined();
  }
});

test('a slot that becomes secret leaves the plain values, and a cleared one is nowhere', async () => {
  const id = await insert();
  const secret = { plain: {}, secret: { Key1: 'now secret' }, cleared: ['Key2'] };
  const changed = await providers.update(ctx, accountId, id, { slots: secret }, at(later));
  expect(changed).toMatchObject({ values: {}, secretSlots: ['Key1'], updatedAt: later });
});

test('a change of the client clears what the vendor said of it, another change does not', async () => {
  const id = await insert();
  await providers.saveLastError(ctx, accountId, id, 'invalid_client');
  expect(await providers.update(ctx, accountId, id, { isEnabled: false }, at(later))).toMatchObject({
    lastError: 'invalid_client',
  });
  expect(await providers.update(ctx, accountId, id, { scopes: ['a'] }, at(later))).toMatchObject({
    lastError: null,
  });
});

test('a change is checked against the provider in its own transaction', async () => {
  const id = await insert();
  const refuse = (former: AuthProvider): boolean => {
    throw new Error(`refused at ${former.name}`);
  };
  const change = { name: 'Other' };
  await expect(providers.update(ctx, accountId, id, change, { isMove: refuse, now: later })).rejects.toThrow(
    `refused at Provider ${id}`,
  );
  expect(await providers.find(ctx, accountId, id)).toMatchObject({ name: `Provider ${id}` });
});

test('a move gives the provider a revision, makes the sign-ins through it due, and refuses what is stored for a former one', async () => {
  const id = await insert();
  const used = await connectThrough(id);
  const moved = await providers.update(ctx, accountId, id, {}, { isMove: () => true, now: later });
  const addressRevision = moved === 'taken' ? undefined : moved?.addressRevision;
  expect(addressRevision).toEqual(expect.any(String));
  expect(await providers.update(ctx, accountId, id, { name: 'Stays' }, at(later))).toMatchObject({
    addressRevision,
  });
  const stored = await store.collection(connectionCollection).findOne({ _id: used });
  expect(stored?.credential.renewal).toMatchObject({ at: later, claim: null });

  const credential = newCredential({ authProviderId: id });
  const change = { details: details(), applicationName: undefined, now: later };
  const replace = (given: NewCredential) =>
    connections.replace(ctx, accountId, used, { ...change, credential: given });
  await expect(replace(credential)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await replace({ ...credential, tokens: 'keep' })).toMatchObject({ addressRevision: null });
  const again = { ...credential, addressRevision: addressRevision ?? null };
  expect(await replace(again)).toMatchObject({ addressRevision });
});

describe('at the same time', () => {
  test('of a new address and a new secret, the address is refused where it comes second', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await insert({
        slots: { plain: { BaseUrl: 'https://a.example' }, secret: {}, cleared: [] },
      });
      const isMove = ({ secretSlots }: AuthProvider): boolean => {
        if (secretSlots.length > 0) throw new Error('has a secret');
        return true;
      };
      const moved = { slots: { plain: { BaseUrl: 'https://b.example' }, secret: {}, cleared: [] } };
      const secret = { slots: { plain: {}, secret: { Key2: 's3cr3t' }, cleared: [] } };
      const [move] = await Promise.allSettled([
        providers.update(ctx, accountId, id, moved, { isMove, now: later }),
        providers.update(ctx, accountId, id, secret, at(later)),
      ]);
      const present = await providers.find(ctx, accountId, id);
      expect(present?.secretSlots).toEqual(['Key2']);
      const address = move.status === 'fulfilled' ? 'https://b.example' : 'https://a.example';
      expect(present?.values).toEqual({ BaseUrl: address });
    }
  });

  test('many new defaults of a method leave one', async () => {
    await Promise.all(Array.from({ length: 10 }, () => insert({ applicationSlug: 'race', isDefault: true })));
    expect(await defaultsOf('race')).toHaveLength(1);
  });

  test('of many providers of one name one is stored', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => providers.nextId()));
    const one = await providers.find(ctx, accountId, await insert());
    if (one === undefined) throw new Error('not stored');
    const { values: _v, secretSlots: _s, lastError: _e, updatedAt: _u, ...same } = one;
    const slots = { plain: {}, secret: {}, cleared: [] };
    const results = await Promise.all(
      ids.map((id) => providers.insert(ctx, { ...same, id, name: 'The one', slots })),
    );
    expect(results.filter((result) => result === 'taken')).toHaveLength(9);
  });

  test('a deletion and a connection through the provider never both succeed', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await insert();
      const [connected, deleted] = await Promise.allSettled([
        connectThrough(id),
        providers.delete(ctx, accountId, id, now),
      ]);
      const isDeleted = deleted.status === 'fulfilled' && deleted.value === 'deleted';
      expect(connected.status).toBe(isDeleted ? 'rejected' : 'fulfilled');
    }
  });
});

test('a provider that is deleted while a grant through it is to be revoked can be opened for that alone', async () => {
  const [id, idle] = [await insert(), await insert()];
  await store.db
    .collection('revocations')
    .insertOne({ accountId, connection: { authProviderId: id }, requestedAt: now });
  for (const each of [id, idle]) {
    expect(await providers.delete(ctx, accountId, each, now)).toBe('deleted');
    expect(await providers.open(ctx, accountId, { id: each })).toBeUndefined();
  }
  const opened = await providers.openRetired(ctx, accountId, id);
  expect(opened?.provider).toMatchObject({ id, values: { Key1: 'id' } });
  expect(opened?.secrets.reveal()).toEqual({ Key2: 's3cr3t' });
  expect(await providers.openRetired(ctx, 'acc_2', id)).toBeUndefined();
  expect(await providers.openRetired(ctx, accountId, idle)).toBeUndefined();
});

test('a provider in use is not deleted, and is once its last connection is gone', async () => {
  const id = await insert();
  const [first, second] = [await connectThrough(id), await connectThrough(id)];
  expect(await providers.delete(ctx, accountId, id, now)).toBe('inUse');
  await connections.delete(ctx, accountId, first, now);
  expect(await providers.delete(ctx, accountId, id, now)).toBe('inUse');
  await connections.delete(ctx, accountId, second, now);
  expect(await providers.delete(ctx, 'acc_2', id, now)).toBe('missing');
  expect(await providers.delete(ctx, accountId, id, now)).toBe('deleted');
  expect(await providers.delete(ctx, accountId, id, now)).toBe('missing');
});

test('a connection through a provider that is gone is not stored', async () => {
  await expect(connectThrough(999_999)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('an account has at most 1 000, and every query uses an index', async () => {
  const full = 'acc_full';
  const template = {
    accountId: full,
    applicationSlug: 'crm',
    authenticationId: 0,
    isDefault: false,
    isEnabled: true,
  };
  await store.collection(authProviderCollection).insertMany(
    Array.from({ length: 1_000 }, (_, index) => ({
      ...template,
      _id: 1_000_000 + index,
      name: `Provider ${index}`,
      values: {},
      secrets: {},
      useCount: 0,
      scopes: null,
      lastError: null,
      createdAt: now,
      updatedAt: now,
    })),
  );
  const slots = { plain: {}, secret: {}, cleared: [] };
  const more = { ...template, id: 2_000_000, name: 'One more', scopes: null, slots, createdAt: now };
  expect(await providers.insert(ctx, more)).toBe('full');
  await providers.delete(ctx, full, 1_000_999, now);
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      providers.insert(ctx, { ...more, id: more.id + index, name: `More ${index}` }),
    ),
  );
  expect(outcomes.filter((outcome) => outcome !== 'full')).toHaveLength(1);

  await store.db.command({ profile: 2 });
  await providers.list(ctx, full, { offset: 900, top: 100 });
  await providers.list(ctx, full, { offset: 0, top: 10, usable: { applicationSlug: 'crm' } });
  await providers.list(ctx, full, { offset: 0, top: 10, usable: { applicationSlug: undefined } });
  expect(await providers.methods(ctx, full)).toEqual([
    { applicationSlug: 'crm', authenticationId: 0, heldSlots: [] },
  ]);
  await providers.find(ctx, full, 1_000_000);
  await providers.open(ctx, full, { name: 'Provider 7' });
  await providers.open(ctx, full, { defaultOf: { applicationSlug: 'crm', authenticationId: 0 } });
  await providers.update(ctx, full, 1_000_000, { isDefault: true }, at(now));
  await providers.saveLastError(ctx, full, 1_000_000, 'refused');
  await providers.delete(ctx, full, 1_000_001, now);
  await store.db.command({ profile: 0 });
  const profile = store.db.collection<{ ns: string; planSummary?: string }>('system.profile');
  const entries = await profile
    .find({ ns: { $regex: /\.(auth_providers|connections|revocations)$/ } })
    .toArray();
  const planned = entries.filter(({ planSummary }) => planSummary !== undefined);
  expect(planned.length).toBeGreaterThanOrEqual(10);
  expect(planned.filter(({ planSummary }) => planSummary?.includes('COLLSCAN'))).toEqual([]);
  expect(entries.filter((entry) => 'hasSortStage' in entry)).toEqual([]);
});
