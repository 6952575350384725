import { timestampDate } from '@bufbuild/protobuf/wkt';
import { eraseAll, exportAll, platformContext } from '@fairlead/service-kit/testing/account-data';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { consentGranted } from './domain/audit-event.ts';
import { useCaseDeps } from './testing/use-case-deps.ts';
import { newAccount, newUser, required, startWorld } from './testing/world.ts';
import type { TestAccount, World } from './testing/world.ts';
import { upstreamRepository } from './storage/upstream.repository.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') });
});
afterAll(() => world.close());

/** Creates an account with a document in every collection that can name an account. */
async function usedAccount(name: string): Promise<TestAccount & { readonly clientSecret: string }> {
  const made = await newAccount(world, name);
  const { account, owner, asOwner } = made;
  await newUser(world, asOwner, { password: 'correct horse battery' });
  const { record } = await world.apiKeys.createApiKey(asOwner, { name: 'Revoked' });
  await world.apiKeys.revokeApiKey(asOwner, { id: required(record).id });
  const { clientSecret } = await world.oauthClients.createOAuthClient(asOwner, {
    name: 'Job',
    redirectUris: ['https://a.example/'],
    grantTypes: ['authorization_code'],
    scopes: ['tools.read'],
  });
  const deps = useCaseDeps(world.store, { clock: world.clock });
  const user = { accountId: account.id, userId: owner.id };
  const parties = { ...user, clientId: `client of ${name}` };
  const id = `grant of ${name}`;
  const event = consentGranted({ requestId: 'r', occurredAt: world.clock.now() }, id, parties, [
    'tools.read',
  ]);
  await deps.grants.put({ id, owner: parties, payload: {}, lifetimeSeconds: 600 }, event);
  await world.store.db.collection<{ _id: string }>('oauth_artifacts').insertOne({
    _id: `Session:${name}`,
    ...user,
    kind: 'Session',
    expiresAt: new Date(world.clock.now().getTime() + 600_000),
  } as never);
  await deps.signInEnds.note(user);
  const links = upstreamRepository({ store: world.store, clock: world.clock });
  await links.link({ issuer: 'https://id.example', subject: name }, user);
  return { ...made, clientSecret };
}

/** Documents that name one of the ids, by collection. */
async function tracesOf(...ids: readonly string[]): Promise<Record<string, number>> {
  const traces: Record<string, number> = {};
  for (const { name } of await world.store.db.listCollections().toArray()) {
    const documents = await world.store.db.collection(name).find().toArray();
    const texts = documents.map((document) => JSON.stringify(document));
    const count = texts.filter((text) => ids.some((id) => text.includes(id))).length;
    if (count > 0) traces[name] = count;
  }
  return traces;
}

const EVERYWHERE = {
  accounts: 1,
  api_keys: 2,
  changes: 1,
  oauth_artifacts: 1,
  oauth_clients: 1,
  oauth_grants: 1,
  oauth_sign_in_ends: 1,
  oauth_upstream_links: 1,
  users: 2,
};

test('an account gets its own users, keys, clients and grants only, without secrets or their hashes', async () => {
  const [mine] = [await usedAccount('mine'), await usedAccount('theirs')];
  const { account, owner, apiKey, clientSecret } = mine;
  const exported = await exportAll(world.accountData, account.id);
  expect(Object.keys(exported)).toEqual(['users', 'apiKeys', 'oauthClients', 'oauthGrants']);
  const createdAt = timestampDate(required(owner.createdAt)).toISOString();
  const made = { createdAt, updatedAt: createdAt };
  expect(exported['users']).toHaveLength(2);
  expect(exported['users']).toContainEqual({
    id: owner.id,
    accountId: account.id,
    email: owner.email,
    name: 'owner',
    role: 'owner',
    isActive: true,
    ...made,
  });
  expect(exported['apiKeys']).toHaveLength(2);
  expect(exported['apiKeys']).toContainEqual({
    id: expect.stringMatching(/^key_/) as unknown,
    accountId: account.id,
    userId: owner.id,
    name: 'First key',
    maskedKey: `${apiKey.slice(0, 13)}…`,
    expiresAt: null,
    revokedAt: null,
    scopes: null,
    toolsetId: null,
    lastUsedAt: null,
    ...made,
  });
  expect(exported['oauthClients']).toEqual([
    {
      id: expect.stringMatching(/^client_/) as unknown,
      userId: owner.id,
      name: 'Job',
      redirectUris: ['https://a.example/'],
      grantTypes: ['authorization_code'],
      scopes: ['tools.read'],
      ...made,
    },
  ]);
  expect(exported['oauthGrants']).toEqual([
    {
      id: 'grant of mine',
      userId: owner.id,
      clientId: 'client of mine',
      createdAt,
      expiresAt: new Date(Date.parse(createdAt) + 600_000).toISOString(),
    },
  ]);
  const text = JSON.stringify(exported);
  for (const secret of [apiKey, clientSecret, 'theirs', 's1.', 'argon2']) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/hash/i);
});

test('an account is erased whole, and its neighbour stays as it was', async () => {
  const [gone, kept] = [await usedAccount('gone'), await usedAccount('kept')];
  expect(await tracesOf(gone.account.id, gone.owner.id)).toEqual(EVERYWHERE);
  await eraseAll(world.accountData, gone.account.id);
  expect(await tracesOf(gone.account.id, gone.owner.id)).toEqual({});
  // Repeated, as after a lost response.
  await eraseAll(world.accountData, gone.account.id);
  expect(await tracesOf(gone.account.id, gone.owner.id)).toEqual({});
  expect(await tracesOf(kept.account.id, kept.owner.id)).toEqual(EVERYWHERE);
});

test('twenty thousand users are exported and erased by indexes, call by call, the account last', async () => {
  const { account } = await newAccount(world, 'Large');
  const now = world.clock.now();
  const users = world.store.db.collection<{ _id: string }>('users');
  for (let from = 0; from < 20_000; from += 10_000) {
    const batch = Array.from({ length: 10_000 }, (_, index) => ({
      _id: `usr_large_${from + index}`,
      accountId: account.id,
      email: `${from + index}@large.example`,
      createdAt: new Date(now.getTime() + from + index),
    }));
    await users.insertMany(batch);
  }
  const { db } = world.store;
  // One page holds all change records.
  await db.createCollection('system.profile', { capped: true, size: 64 * 1024 * 1024 });
  await db.command({ profile: 2 });
  const page = await world.accountData.exportAccountData(platformContext, { accountId: account.id });
  const { nextCursor: cursor } = page;
  await world.accountData.exportAccountData(platformContext, { accountId: account.id, cursor });
  let calls = 0;
  for (let isComplete = false; !isComplete; calls += 1) {
    ({ isComplete } = await world.accountData.eraseAccountData(platformContext, { accountId: account.id }));
    // A closed account exists until the rest of its data is erased.
    const { account: found } = isComplete
      ? { account: undefined }
      : await world.operator.findAccount(platformContext, { accountId: account.id });
    expect(found?.erasingAt === undefined).toBe(isComplete);
  }
  await db.command({ profile: 0 });
  expect(calls).toBeGreaterThan(0);
  expect(await users.countDocuments({ accountId: account.id })).toBe(0);
  const entries = await db
    .collection<{ planSummary?: string; hasSortStage?: boolean }>('system.profile')
    .find({ op: { $in: ['query', 'getmore', 'update', 'remove'] }, ns: { $regex: /\.(?!system)/ } })
    .toArray();
  expect(entries.length).toBeGreaterThan(20);
  expect(entries.filter(({ planSummary }) => planSummary?.includes('COLLSCAN'))).toEqual([]);
  expect(entries.filter(({ hasSortStage }) => hasSortStage)).toEqual([]);
});

test('exports, erasure and change records are for the platform: a user, even an owner, gets FORBIDDEN', async () => {
  const { account, asOwner } = await newAccount(world);
  const forbidden = { code: 'FORBIDDEN' };
  const accountId = account.id;
  await expect(world.accountData.exportAccountData(asOwner, { accountId })).rejects.toMatchObject(forbidden);
  await expect(world.accountData.eraseAccountData(asOwner, { accountId })).rejects.toMatchObject(forbidden);
  await expect(world.changes.listChanges(asOwner, { limit: 1 })).rejects.toMatchObject(forbidden);
  expect(await tracesOf(accountId)).toMatchObject({ accounts: 1 });
});
