import { createPublicKey } from 'node:crypto';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { hashApiKey } from '@fairlead/access/api-key';
import { Secret } from '@fairlead/service-kit/secret';
import { eraseAll, platformContext } from '@fairlead/service-kit/testing/account-data';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { apiKeyCollection } from './storage/api-key.collection.ts';
import { oauthGrantCollection } from './storage/oauth-grant.collection.ts';
import { revokedTokenCollection } from './storage/revoked-token.collection.ts';
import { newAccount, newUser, required, startWorld } from './testing/world.ts';
import type { TestAccount, World } from './testing/world.ts';

let world: World;
let one: TestAccount;
let two: TestAccount;
beforeAll(async () => {
  world = await startWorld({ mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') });
});
afterAll(() => world.close());
beforeEach(async () => {
  [one, two] = [await newAccount(world), await newAccount(world, 'Two')];
});

describe('ResolveKeys', () => {
  const resolve = async (apiKey: string) => {
    const hashes = ['unknown', hashApiKey(new Secret(apiKey))];
    const { owners } = await world.credentials.resolveKeys(platformContext, { hashes });
    expect(owners).toHaveLength(2);
    expect(owners[0]?.member).toBeUndefined();
    return required(owners[1]);
  };

  test('finds the user and the account of a key, and when it ends', async () => {
    expect(await resolve(one.apiKey)).toMatchObject({
      member: { account: one.account, user: one.owner },
      keyId: expect.stringMatching(/^key_/) as unknown,
    });
    const expiresAt = timestampFromDate(new Date(world.clock.now().getTime() + 1));
    const { apiKey } = await world.apiKeys.createApiKey(one.asOwner, { name: 'Short', expiresAt });
    world.clock.advance(5);
    // Expired keys are returned, too: the gateway caches the response and checks the expiry itself.
    expect(await resolve(apiKey)).toMatchObject({ member: { user: { id: one.owner.id } }, expiresAt });
  });

  test('is empty for a key that is unknown or revoked', async () => {
    const nothing = { keyId: '' };
    expect(await resolve('fairlead_unknown')).toMatchObject(nothing);
    const { apiKey, record } = await world.apiKeys.createApiKey(one.asOwner, { name: 'Revoked' });
    await world.apiKeys.revokeApiKey(one.asOwner, { id: required(record).id });
    const { member, keyId } = await resolve(apiKey);
    expect([member, keyId]).toEqual([undefined, '']);
  });

  test('shows an inactive user and a closed account', async () => {
    const { id: userId } = await newUser(world, one.asOwner);
    const { apiKey } = await world.apiKeys.createApiKey(one.asOwner, { name: 'Key', userId });
    await world.users.updateUser(one.asOwner, { id: userId, isActive: false });
    expect((await resolve(apiKey)).member?.user).toMatchObject({ id: userId, isActive: false });
    await world.operator.closeAccount(platformContext, { accountId: one.account.id });
    expect((await resolve(apiKey)).member?.account?.erasingAt).toBeDefined();
  });
});

describe('ResolveToken', () => {
  const tokenOf = ({ account, owner }: TestAccount) => ({
    accountId: account.id,
    userId: owner.id,
    clientId: 'client_1',
    tokenId: 'token',
  });
  const resolve = async (token: Parameters<World['credentials']['resolveToken']>[1]) =>
    (await world.credentials.resolveToken(platformContext, token)).member;

  async function grantIn({ account, owner }: TestAccount): Promise<string> {
    const _id = `grant of ${account.id}`;
    await world.store.collection(oauthGrantCollection).insertOne({
      _id,
      accountId: account.id,
      userId: owner.id,
      clientId: 'client_1',
      payload: '{}',
      createdAt: world.clock.now(),
      expiresAt: new Date(world.clock.now().getTime() + 60_000),
    });
    return _id;
  }

  test('finds the user and the account while the grant exists', async () => {
    const grantId = await grantIn(one);
    expect(await resolve({ ...tokenOf(one), grantId })).toMatchObject({
      account: one.account,
      user: one.owner,
    });
    world.clock.advance(60_000);
    // The token has expired, but MongoDB has not deleted it yet.
    expect(await resolve({ ...tokenOf(one), grantId })).toBeUndefined();
    expect(await resolve({ ...tokenOf(one), grantId: 'unknown' })).toBeUndefined();
  });

  test('finds nobody where the grant is of another account, or the user is', async () => {
    const grantId = await grantIn(two);
    expect(await resolve({ ...tokenOf(one), grantId })).toBeUndefined();
    const mixed = { ...tokenOf(two), userId: one.owner.id, grantId };
    expect(await resolve(mixed)).toBeUndefined();
  });

  test('of client credentials: finds them while the client exists and the token was not revoked', async () => {
    const { client } = await world.oauthClients.createOAuthClient(one.asOwner, {
      name: 'Job',
      grantTypes: ['client_credentials'],
      scopes: ['tools.read'],
    });
    const { id: clientId } = required(client);
    const token = { ...tokenOf(one), clientId };
    expect(await resolve(token)).toMatchObject({ account: one.account, user: one.owner });
    // The same client, but in another account.
    expect(await resolve({ ...tokenOf(two), clientId })).toBeUndefined();
    const expiresAt = new Date(world.clock.now().getTime() + 60_000);
    await world.store.collection(revokedTokenCollection).insertOne({ _id: 'token', expiresAt });
    expect(await resolve(token)).toBeUndefined();
    const other = { ...token, tokenId: 'other' };
    expect(await resolve(other)).toBeDefined();
    await world.oauthClients.deleteOAuthClient(one.asOwner, { id: clientId });
    expect(await resolve(other)).toBeUndefined();
  });

  test('shows an inactive user and a closed account', async () => {
    const grantId = await grantIn(one);
    const { id: userId } = await newUser(world, one.asOwner, { isActive: false });
    expect(await resolve({ ...tokenOf(one), userId, grantId })).toMatchObject({ user: { isActive: false } });
    await world.operator.closeAccount(platformContext, { accountId: one.account.id });
    expect((await resolve({ ...tokenOf(one), grantId }))?.account?.erasingAt).toBeDefined();
  });
});

describe('ResolveAccounts', () => {
  const resolve = async (...references: { accountId: string; userId?: string; keyId?: string }[]) =>
    (await world.credentials.resolveAccounts(platformContext, { references })).members;

  test('finds accounts and users of them, one for each reference, in their order', async () => {
    const accountId = one.account.id;
    const found = await resolve(
      { accountId, userId: one.owner.id },
      { accountId: 'acc_unknown', userId: 'usr_unknown' },
      { accountId: two.account.id },
      { accountId },
      { accountId, userId: 'usr_unknown' },
      // A user of another account.
      { accountId, userId: two.owner.id },
    );
    expect(found.map(({ account, user }) => [account, user])).toEqual([
      [one.account, one.owner],
      [undefined, undefined],
      [two.account, undefined],
      [one.account, undefined],
      [one.account, undefined],
      [one.account, undefined],
    ]);
  });

  test('shows a closed account and an inactive user; an erased account is absent', async () => {
    const accountId = one.account.id;
    const { id: userId } = await newUser(world, one.asOwner, { isActive: false });
    await world.operator.closeAccount(platformContext, { accountId });
    const [found] = await resolve({ accountId, userId });
    expect(found?.account?.erasingAt).toBeDefined();
    expect(found?.user).toMatchObject({ id: userId, isActive: false });
    await eraseAll(world.accountData, accountId);
    expect(await resolve({ accountId, userId })).toMatchObject([{}]);
    expect((await resolve({ accountId, userId }))[0]?.account).toBeUndefined();
  });

  test('of an API key finds its user, until it was revoked or has expired; the key of another user finds nobody', async () => {
    const accountId = one.account.id;
    const userId = one.owner.id;
    const expiresAt = timestampFromDate(new Date(world.clock.now().getTime() + 60_000));
    const { apiKeys } = world;
    const [lasting, expiring, foreign] = [
      required((await apiKeys.createApiKey(one.asOwner, { name: 'lasting', userId })).record).id,
      required((await apiKeys.createApiKey(one.asOwner, { name: 'expiring', userId, expiresAt })).record).id,
      required((await apiKeys.createApiKey(two.asOwner, { name: 'foreign', userId: two.owner.id })).record)
        .id,
    ];
    const found = async (keyId: string) => (await resolve({ accountId, userId, keyId }))[0]?.user?.id;
    expect([await found(lasting), await found(expiring), await found(foreign), await found('key_0')]).toEqual(
      [userId, userId, undefined, undefined],
    );
    world.clock.advance(60_000);
    expect([await found(lasting), await found(expiring)]).toEqual([userId, undefined]);
    await apiKeys.revokeApiKey(one.asOwner, { id: lasting });
    expect(await found(lasting)).toBeUndefined();
  });

  test('takes a thousand references, and no more', async () => {
    const reference = { accountId: one.account.id };
    const found = await resolve(...Array.from({ length: 1_000 }, () => reference));
    expect(found).toHaveLength(1_000);
    const tooMany = resolve(...Array.from({ length: 1_001 }, () => reference));
    await expect(tooMany).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'references' }],
    });
    expect(await resolve()).toEqual([]);
  });
});

test('ListVerificationKeys returns public keys in DER, by their ids', async () => {
  const { keys } = await world.credentials.listVerificationKeys(platformContext, {});
  expect(keys).toHaveLength(1);
  const [{ kid, publicKey }] = [required(keys[0])];
  const key = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
  expect([key.type, key.asymmetricKeyType, kid.length]).toEqual(['public', 'rsa', 43]);
});

describe('RecordKeyUses', () => {
  const keyOf = async (ctx = one.asOwner) => required((await world.apiKeys.listApiKeys(ctx, {})).items[0]);
  const at = (ms: number) => timestampFromDate(new Date(ms));
  const record = (...uses: { keyId: string; usedAt: ReturnType<typeof at> }[]) =>
    world.credentials.recordKeyUses(platformContext, { uses });
  const lastUse = async () => (await keyOf()).lastUsedAt;

  test('moves the last use of each key on, and never back; an unknown key makes no difference', async () => {
    const { id: keyId } = await keyOf();
    expect(await lastUse()).toBeUndefined();
    await record({ keyId, usedAt: at(2_000) }, { keyId: 'key_unknown', usedAt: at(2_000) });
    await record({ keyId, usedAt: at(1_000) });
    expect(await lastUse()).toEqual(at(2_000));
    await record({ keyId, usedAt: at(4_000) }, { keyId, usedAt: at(3_000) });
    expect(await lastUse()).toEqual(at(4_000));
    expect(await world.store.collection(apiKeyCollection).countDocuments({ _id: 'key_unknown' })).toBe(0);
  });

  test('takes ten thousand keys in one call', async () => {
    const { id: keyId } = await keyOf();
    const unknown = Array.from({ length: 9_999 }, (_, index) => ({ keyId: `key_${index}`, usedAt: at(1) }));
    await record(...unknown, { keyId, usedAt: at(5_000) });
    expect(timestampDate(required(await lastUse()))).toEqual(new Date(5_000));
    await expect(
      record(...unknown, ...[1, 2].map((n) => ({ keyId: `k${n}`, usedAt: at(1) }))),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'uses' }] });
  });
});

test('credentials are resolved for the platform: a user, even an owner, gets FORBIDDEN', async () => {
  const { credentials } = world;
  for (const calling of [
    credentials.resolveKeys(one.asOwner, { hashes: [hashApiKey(new Secret(one.apiKey))] }),
    credentials.resolveToken(one.asOwner, {}),
    credentials.resolveAccounts(one.asOwner, { references: [{ accountId: one.account.id }] }),
    credentials.listVerificationKeys(one.asOwner, {}),
    credentials.recordKeyUses(one.asOwner, {}),
  ])
    await expect(calling).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
