import { guid } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { nextRenewal } from '../domain/renewal.ts';
import type { ConnectionStore, NewConnection, NewCredential } from '../ports/connection-store.ts';
import type { CredentialStore, LeaseKey } from '../ports/credential-store.ts';
import type { DueGrants } from '../ports/due-grants.ts';
import type { RevocationStore } from '../ports/revocation-store.ts';
import { details, newConnection, newCredential, tokens } from '../testing/builders.ts';
import { openConnectionStorage } from '../testing/connection-storage.ts';
import type { ConnectionStorage } from '../testing/connection-storage.ts';
import { connectionCollection, RENEWAL_PATH } from './connection.collection.ts';
import { revocationCollection } from './revocation.collection.ts';

let store: ConnectionStorage['store'];
let connections: ConnectionStore;
let credentials: CredentialStore;
let grants: DueGrants;
let revocations: RevocationStore;

const ctx = testContext();
const accountId = 'acc_1';
const now = new Date('2026-11-22T12:00:00.000Z');
const after = (ms: number): Date => new Date(now.getTime() + ms);
const HOUR_MS = 3_600_000;
const withoutRefreshToken = tokens({ refreshToken: null });

beforeAll(async () => {
  ({ store, connections, credentials, revocations } = await openConnectionStorage(inject('mongodbUri')));
  grants = createClaims(store, connectionCollection, RENEWAL_PATH);
});
afterAll(() => store.drop());
beforeEach(() => store.collection(connectionCollection).deleteMany({}));

async function insert(
  over: Partial<NewCredential> = {},
  connection: Partial<NewConnection> = {},
): Promise<LeaseKey> {
  const connectionId = await connections.nextId();
  const credential = newCredential({ vendor: 'vendor.example', ...over });
  const given = newConnection({ id: connectionId, accountId, credential, createdAt: now, ...connection });
  await connections.insert(ctx, accountId, given);
  return { accountId, connectionId, owner: guid() };
}

async function lease(key: LeaseKey, version = 1, at = now): Promise<void> {
  const claim = await credentials.claim(ctx, key, { version, now: at, until: after(30_000) });
  expect(claim.kind).toBe('claimed');
}

const renewalOf = async ({ connectionId }: LeaseKey): Promise<unknown> => {
  const document = await store.collection(connectionCollection).findOne({ _id: connectionId });
  return document?.credential.renewal;
};

describe('a new connection', () => {
  test('is due within a day, in the partition of its vendor', async () => {
    const key = await insert();
    const at = nextRenewal(key.connectionId, now);
    expect(await renewalOf(key)).toEqual({ lane: 'vendor.example', at, claim: null });
    expect(await renewalOf(await insert({ vendor: undefined }))).toMatchObject({ lane: 'crm' });
  });

  test.each([
    ['without a refresh token', { tokens: withoutRefreshToken }, {}],
    ['without tokens', { tokens: null }, {}],
    ['of a client', {}, { grant: 'clientCredentials' }],
  ] as const)('%s is never due', async (_name, credential, connection) => {
    const key = await insert(credential, connection);
    expect(await renewalOf(key)).toBeNull();
    await lease(key);
    await credentials.saveFailure(ctx, key, { failingSince: now, retryAt: now });
    expect(await renewalOf(key)).toBeNull();
  });
});

describe('a grant', () => {
  test('that was renewed is due a day later, at the vendor that renewed it', async () => {
    const key = await insert({ vendor: undefined });
    await lease(key);
    await credentials.saveTokens(ctx, key, tokens(), { vendor: 'other.example', now: after(HOUR_MS) });
    const at = nextRenewal(key.connectionId, after(HOUR_MS));
    expect(await renewalOf(key)).toEqual({ lane: 'other.example', at, claim: null });
    await lease(key, 2);
    await credentials.saveTokens(ctx, key, tokens(), { vendor: undefined, now });
    expect(await renewalOf(key)).toMatchObject({ lane: 'other.example' });
    await lease(key, 3);
    await credentials.saveTokens(ctx, key, withoutRefreshToken, { vendor: 'other.example', now });
    expect(await renewalOf(key)).toBeNull();
  });

  test('that could not be renewed is due when that is tried again, and remembers since when it fails', async () => {
    const key = await insert();
    await lease(key);
    await credentials.saveFailure(ctx, key, { failingSince: now, retryAt: after(HOUR_MS) });
    expect(await renewalOf(key)).toEqual({ lane: 'vendor.example', at: after(HOUR_MS), claim: null });
    const claim = { version: 1, now, until: after(30_000) };
    expect(await credentials.claim(ctx, key, claim)).toMatchObject({ failingSince: now });
    await credentials.saveTokens(ctx, key, tokens(), { vendor: undefined, now });
    const renewed = await credentials.claim(ctx, key, { ...claim, version: 2 });
    expect(renewed).toMatchObject({ failingSince: null });
  });

  test('that is renewed keeps the revision of its credential, which every replacement changes', async () => {
    const key = await insert();
    const revision = async () =>
      (await connections.find(ctx, accountId, key.connectionId))?.credentialRevision;
    const replacement = { details: details(), applicationName: undefined, now };
    const replace = (credential: NewCredential | undefined) =>
      connections.replace(ctx, accountId, key.connectionId, { ...replacement, credential });
    await lease(key);
    await credentials.saveTokens(ctx, key, tokens(), { vendor: undefined, now });
    await replace(undefined);
    expect(await revision()).toBe(1);
    await replace(newCredential({ tokens: 'keep' }));
    expect(await revision()).toBe(2);
    await replace(newCredential({}));
    expect(await revision()).toBe(3);
  });

  test('that the vendor refused is no longer due, until there is a new one', async () => {
    const key = await insert();
    await lease(key);
    await credentials.saveRefusal(ctx, key, { reason: 'no', now });
    expect(await renewalOf(key)).toBeNull();
    const replacement = { details: details(), applicationName: undefined, now };
    const credential = newCredential({ vendor: 'new.example' });
    await connections.replace(ctx, accountId, key.connectionId, { ...replacement, credential });
    expect(await renewalOf(key)).toMatchObject({ lane: 'new.example' });
    const kept = { ...replacement, credential: newCredential({ tokens: 'keep' }) };
    await connections.replace(ctx, accountId, key.connectionId, kept);
    expect(await renewalOf(key)).toMatchObject({ lane: 'new.example' });
  });

  test('that somebody renewed while it was claimed is not due again because of that claim', async () => {
    const key = await insert();
    const day = after(24 * HOUR_MS);
    expect(await grants.duePartitions(day, 10)).toMatchObject([{ partition: 'vendor.example' }]);
    const claim = { now: day, until: after(25 * HOUR_MS), limit: 10 };
    const [claimed] = await grants.claim('vendor.example', claim);
    if (claimed === undefined) throw new Error('not claimed');
    expect(claimed.document).toMatchObject({ _id: key.connectionId, accountId, credential: { version: 1 } });
    await lease(key);
    await credentials.saveTokens(ctx, key, tokens(), { vendor: undefined, now: day });
    expect(await grants.settle(claimed, { at: now })).toBe(false);
    expect(await renewalOf(key)).toMatchObject({ at: nextRenewal(key.connectionId, day), claim: null });
  });
});

describe('a connection that is deleted while its grant is renewed', () => {
  const dueAt = async ({ connectionId }: LeaseKey): Promise<Date | undefined> =>
    (await store.collection(revocationCollection).findOne({ _id: connectionId }))?.due?.at;
  const revoked = async ({ connectionId }: LeaseKey): Promise<string | undefined> => {
    const opened = await revocations.open(ctx, accountId, connectionId);
    return opened?.credential.tokens?.accessToken.reveal();
  };
  const late = tokens({ accessToken: new Secret('late') });
  const saved = { vendor: undefined, now: after(1_000) };

  test('is revoked once the lease has ended, or at once with the tokens that the vendor granted', async () => {
    const key = await insert();
    await lease(key);
    await connections.delete(ctx, accountId, key.connectionId, now);
    expect(await dueAt(key)).toEqual(after(30_000));
    expect(await revoked(key)).toBe('access');
    await credentials.saveTokens(ctx, key, late, saved);
    expect(await dueAt(key)).toEqual(saved.now);
    expect(await revoked(key)).toBe('late');
  });

  test('is revoked at once if another grant has replaced it, and what was granted for the former one is dropped', async () => {
    const key = await insert();
    await lease(key);
    const credential = newCredential({ tokens: tokens({ accessToken: new Secret('new') }) });
    const replacement = { details: details(), applicationName: undefined, now, credential };
    await connections.replace(ctx, accountId, key.connectionId, replacement);
    await connections.delete(ctx, accountId, key.connectionId, now);
    expect(await dueAt(key)).toEqual(now);
    await credentials.saveTokens(ctx, key, late, saved);
    expect([await dueAt(key), await revoked(key)]).toEqual([now, 'new']);
  });
});
