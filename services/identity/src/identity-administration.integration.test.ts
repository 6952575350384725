import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Actor } from './domain/actor.ts';
import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import { hashApiKey } from '@fairlead/access/api-key';
import type { Role } from '@fairlead/access/permissions';
import type { User } from './domain/records.ts';
import type { IdentityAdministration } from './identity-administration.ts';
import { credentialRepository } from './storage/credential.repository.ts';
import { identityCollections } from './storage/identity-schema.ts';
import { testAdministration } from './testing/administration.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const ctx = testContext();
const ALL = { offset: 0, top: 100 };
const FORBIDDEN = { code: 'FORBIDDEN' };
const CONFLICT = { code: 'CONFLICT' };
const NOT_FOUND = { code: 'NOT_FOUND' };
const PASSWORD = new Secret('correct horse battery');

let store: Awaited<ReturnType<typeof testStore>>;
let clock: ManualClock;
let told: string[];
let identity: IdentityAdministration;
let owner: Actor;
/** The owner of another account. */
let stranger: Actor;

beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), identityCollections);
});
afterAll(() => store.drop());

beforeEach(async () => {
  for (const { name } of identityCollections) await store.db.collection(name).deleteMany({});
  clock = new ManualClock(NOW);
  told = [];
  identity = testAdministration(store, {
    clock,
    changeIdentity: (accountId, write) => {
      told.push(accountId);
      return write();
    },
  });
  owner = await newAccount('one');
  stranger = await newAccount('two');
});

async function newAccount(name: string): Promise<Actor> {
  const { account, owner: made } = await identity.createAccountWithOwner(ctx, {
    name,
    ownerEmail: `owner@${name}.example`,
  });
  return { accountId: account.id, userId: made.id, roles: ['owner'] };
}

const newUser = (email: string, role: Role = 'member', actor = owner): Promise<User> =>
  identity.createUser(ctx, actor, { email, role, isActive: true });

async function newAdmin(): Promise<Actor> {
  const { id, accountId } = await newUser('admin@one.example', 'admin');
  return { accountId, userId: id, roles: ['admin'] };
}

describe('users', () => {
  test('are listed newest first, by pages, with their number over all pages', async () => {
    clock.advance(1);
    await newUser('a@one.example');
    clock.advance(1);
    await newUser('b@one.example');
    const { items, totalCount } = await identity.listUsers(ctx, owner.accountId, { offset: 0, top: 2 });
    expect(items.map(({ email }) => email)).toEqual(['b@one.example', 'a@one.example']);
    expect(totalCount).toBe(3);
    const rest = await identity.listUsers(ctx, owner.accountId, { offset: 2, top: 2 });
    expect(rest.items.map(({ id }) => id)).toEqual([owner.userId]);
  });

  test('one without a name is called what stands before the @', async () => {
    expect(await newUser('mara.m@one.example')).toMatchObject({
      name: 'mara.m',
      createdAt: NOW,
      updatedAt: NOW,
    });
  });

  test('an e-mail address of the account is taken, at creation and at a change, and nothing is written', async () => {
    const first = await newUser('a@one.example');
    const second = await newUser('b@one.example');
    await expect(newUser('a@one.example')).rejects.toMatchObject(CONFLICT);
    await expect(
      identity.updateUser(ctx, owner, second.id, { email: first.email, name: 'B' }),
    ).rejects.toMatchObject(CONFLICT);
    expect((await identity.listUsers(ctx, owner.accountId, ALL)).items).toContainEqual(second);
    expect(await identity.updateUser(ctx, owner, first.id, { email: first.email })).toMatchObject(first);
  });

  test('an e-mail address known in another account is as good as any other, and each account has its own person', async () => {
    const known = await identity.createUser(ctx, owner, {
      email: 'mara@test.example',
      name: 'Mara',
      password: PASSWORD,
      role: 'member',
      isActive: true,
    });
    const other = await newUser('mara@test.example', 'member', stranger);
    expect(other.id).not.toBe(known.id);
    await identity.updateUser(ctx, stranger, other.id, {
      name: 'Other',
      password: new Secret('another password'),
      isActive: false,
    });
    expect(await identity.findMember(owner.accountId, known.id)).toMatchObject({ user: known });
    expect(await identity.verifyPassword('mara@test.example', PASSWORD)).toMatchObject([{ user: known }]);
  });

  test('a user of another account does not exist', async () => {
    const foreign = await newUser('a@two.example', 'member', stranger);
    const attempt = (userId: string) => identity.updateUser(ctx, owner, userId, { name: 'Mine' });
    await expect(attempt(foreign.id)).rejects.toMatchObject(NOT_FOUND);
    await expect(attempt('usr_unknown')).rejects.toMatchObject(NOT_FOUND);
  });

  test('a change keeps what is left out', async () => {
    const user = await newUser('a@one.example', 'developer');
    clock.advance(5);
    expect(await identity.updateUser(ctx, owner, user.id, { name: 'Anna' })).toEqual({
      ...user,
      name: 'Anna',
      updatedAt: clock.now(),
    });
  });
});

describe('owners', () => {
  test('an administrator who is no owner can neither make, change nor unmake one', async () => {
    const admin = await newAdmin();
    const member = await newUser('a@one.example');
    await expect(newUser('b@one.example', 'owner', admin)).rejects.toMatchObject(FORBIDDEN);
    await expect(identity.updateUser(ctx, admin, member.id, { role: 'owner' })).rejects.toMatchObject(
      FORBIDDEN,
    );
    for (const change of [
      { role: 'member' },
      { isActive: false },
      { password: PASSWORD },
      { name: 'x' },
    ] as const) {
      await expect(identity.updateUser(ctx, admin, owner.userId, change)).rejects.toMatchObject(FORBIDDEN);
    }
    expect(await identity.updateUser(ctx, admin, member.id, { role: 'admin' })).toMatchObject({
      role: 'admin',
    });
  });

  test('the last active owner can be neither demoted nor deactivated', async () => {
    for (const change of [{ role: 'admin' }, { isActive: false }] as const) {
      await expect(identity.updateUser(ctx, owner, owner.userId, change)).rejects.toMatchObject(CONFLICT);
    }
    const second = await newUser('second@one.example', 'owner');
    await identity.updateUser(ctx, owner, second.id, { isActive: false });
    await expect(identity.updateUser(ctx, owner, owner.userId, { role: 'admin' })).rejects.toMatchObject(
      CONFLICT,
    );
    await identity.updateUser(ctx, owner, second.id, { isActive: true });
    expect(await identity.updateUser(ctx, owner, owner.userId, { role: 'admin' })).toMatchObject({
      role: 'admin',
    });
  });

  test('two owners who demote each other at once leave one', async () => {
    const second = await newUser('second@one.example', 'owner');
    const results = await Promise.allSettled(
      [owner.userId, second.id].map((userId) => identity.updateUser(ctx, owner, userId, { role: 'member' })),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { items } = await identity.listUsers(ctx, owner.accountId, ALL);
    expect(items.filter(({ role }) => role === 'owner')).toHaveLength(1);
  });
});

describe('API keys', () => {
  const create = (actor: Actor, userId?: string, expiresAt: Date | null = null) =>
    identity.createApiKey(ctx, actor, { name: 'Key', userId, expiresAt });

  test('a key acts as the caller, or as the user who is named', async () => {
    const user = await newUser('a@one.example');
    const [own, others] = [await create(owner), await create(owner, user.id)];
    const ownerOf = async ({ apiKey }: { apiKey: Secret }) =>
      (await credentialRepository(store).findKeyOwner(hashApiKey(apiKey)))?.user.id;
    expect(await ownerOf(own)).toBe(owner.userId);
    expect(await ownerOf(others)).toBe(user.id);
  });

  test('only an owner makes a key of an owner', async () => {
    const admin = await newAdmin();
    await expect(create(admin, owner.userId)).rejects.toMatchObject(FORBIDDEN);
    await expect(create(admin)).resolves.toBeDefined();
    await expect(create(owner, admin.userId)).resolves.toBeDefined();
  });

  test('a key of an unknown user or one of another account is not made', async () => {
    await expect(create(owner, stranger.userId)).rejects.toMatchObject(NOT_FOUND);
    await expect(create(owner, 'usr_unknown')).rejects.toMatchObject(NOT_FOUND);
    expect((await identity.listApiKeys(ctx, owner.accountId, ALL)).totalCount).toBe(1);
  });

  test('a key may not have expired already', async () => {
    await expect(create(owner, undefined, NOW)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'expiresAt' }],
    });
    await expect(create(owner, undefined, new Date(NOW.getTime() + 1))).resolves.toBeDefined();
  });

  test('the list shows what is not revoked, newest first, and recognisable', async () => {
    clock.advance(1);
    const { record, apiKey } = await create(owner);
    const { items, totalCount } = await identity.listApiKeys(ctx, owner.accountId, ALL);
    expect(totalCount).toBe(2);
    expect(items[0]).toEqual({ ...record, maskedKey: `${apiKey.reveal().slice(0, 13)}…` });
    expect(JSON.stringify(items)).not.toContain(apiKey.reveal());
    await identity.revokeApiKey(ctx, owner.accountId, record.id);
    expect((await identity.listApiKeys(ctx, owner.accountId, ALL)).totalCount).toBe(1);
  });

  test('a key of another account, an unknown one and a revoked one do not exist', async () => {
    const { record } = await create(owner);
    await expect(identity.revokeApiKey(ctx, stranger.accountId, record.id)).rejects.toMatchObject(NOT_FOUND);
    await identity.revokeApiKey(ctx, owner.accountId, record.id);
    await expect(identity.revokeApiKey(ctx, owner.accountId, record.id)).rejects.toMatchObject(NOT_FOUND);
    await expect(identity.revokeApiKey(ctx, owner.accountId, 'key_unknown')).rejects.toMatchObject(NOT_FOUND);
  });
});

describe('signing in', () => {
  const person = (actor: Actor, password: Secret | undefined, isActive = true) =>
    identity.createUser(ctx, actor, { email: 'p@test.example', password, role: 'member', isActive });

  test('a password opens the accounts that it was set for, whatever the case of the e-mail', async () => {
    await person(owner, PASSWORD);
    await person(stranger, PASSWORD);
    const members = await identity.verifyPassword('P@test.example', PASSWORD);
    expect(members.map(({ account }) => account.name)).toEqual(['one', 'two']);
    expect(await identity.verifyPassword('p@test.example', new Secret('wrong password'))).toEqual([]);
    expect(await identity.verifyPassword('nobody@test.example', PASSWORD)).toEqual([]);
  });

  test('a user who is not active proves the password all the same, and may act nowhere', async () => {
    const { id } = await person(owner, PASSWORD, false);
    expect(await identity.verifyPassword('p@test.example', PASSWORD)).toMatchObject([
      { user: { id, isActive: false } },
    ]);
    expect(await identity.findMembershipsOf(id)).toEqual([]);
  });

  test('no password opens a user without one, nor anybody of an account being erased', async () => {
    const { id } = await person(stranger, undefined);
    expect(await identity.verifyPassword('p@test.example', new Secret(''))).toEqual([]);
    expect(await identity.findMembersByEmail('p@test.example')).toMatchObject([{ user: { id } }]);
    expect(await identity.findMembershipsOf(id)).toMatchObject([{ user: { id } }]);
    await identity.beginErasure(ctx, stranger.accountId);
    expect(await identity.findMembersByEmail('p@test.example')).toEqual([]);
    expect(await identity.findMembershipsOf(id)).toEqual([]);
  });
});

describe('accounts', () => {
  test('an account comes with an owner whose key opens it, and whose password does', async () => {
    const made = await identity.createAccountWithOwner(ctx, {
      name: 'three',
      defaultLicence: 'none',
      budgets: { hourly: 7 },
      ownerEmail: 'boss@three.example',
      ownerName: 'Boss',
      ownerPassword: PASSWORD,
    });
    expect(await credentialRepository(store).findKeyOwner(hashApiKey(made.apiKey))).toMatchObject({
      account: made.account,
      user: { ...made.owner, role: 'owner', isActive: true, name: 'Boss' },
    });
    expect(made.account).toMatchObject({
      isRbacEnabled: false,
      defaultLicence: 'none',
      budgets: { ...DEFAULT_BUDGETS, hourly: 7 },
    });
    expect(await identity.verifyPassword('boss@three.example', PASSWORD)).toHaveLength(1);
    expect((await identity.listAccounts(ctx, ALL)).totalCount).toBe(3);
  });

  test('an owner without an e-mail address gets an undeliverable one unique to the account', async () => {
    const { account, owner: made } = await identity.createAccountWithOwner(ctx, { name: 'three' });
    expect(made).toMatchObject({
      email: `owner@${account.id.replace('_', '-').toLowerCase()}.invalid`,
      name: 'owner',
      role: 'owner',
    });
    expect(await identity.verifyPassword(made.email, PASSWORD)).toEqual([]);
  });

  test('a change keeps what is left out, budget by budget', async () => {
    const before = await identity.getAccount(ctx, owner.accountId);
    clock.advance(5);
    expect(
      await identity.updateAccount(ctx, owner.accountId, { defaultLicence: 'none', budgets: { hourly: 7 } }),
    ).toEqual({
      ...before,
      defaultLicence: 'none',
      budgets: { ...before.budgets, hourly: 7 },
      updatedAt: clock.now(),
    });
    await expect(identity.updateAccount(ctx, 'acc_unknown', { name: 'x' })).rejects.toMatchObject(NOT_FOUND);
    await expect(identity.getAccount(ctx, 'acc_unknown')).rejects.toMatchObject(NOT_FOUND);
  });

  test('of one that is being erased nothing can be made; erasing leaves nothing, and can be repeated', async () => {
    await newUser('a@one.example');
    const begun = await identity.beginErasure(ctx, owner.accountId);
    expect(begun.erasingAt).toEqual(NOW);
    clock.advance(5);
    expect(await identity.beginErasure(ctx, owner.accountId)).toEqual(begun);
    const refused = { code: 'UNAUTHORIZED' };
    await expect(newUser('b@one.example')).rejects.toMatchObject(refused);
    await expect(identity.createApiKey(ctx, owner, { name: 'Key', expiresAt: null })).rejects.toMatchObject(
      refused,
    );
    await identity.eraseIdentity(ctx, owner.accountId);
    await identity.eraseIdentity(ctx, owner.accountId);
    for (const { name } of identityCollections) {
      const filter = { $or: [{ accountId: owner.accountId }, { _id: { $eq: owner.accountId } }] };
      expect(await store.db.collection<{ _id: string }>(name).countDocuments(filter)).toBe(0);
      expect(await store.db.collection(name).countDocuments()).toBe(1);
    }
    await expect(identity.beginErasure(ctx, owner.accountId)).rejects.toMatchObject(NOT_FOUND);
  });

  test('an export holds account, users and keys, and neither hashes nor passwords', async () => {
    const user = await newUser('a@one.example');
    const { record } = await identity.createApiKey(ctx, owner, { name: 'Key', expiresAt: null });
    await identity.revokeApiKey(ctx, owner.accountId, record.id);
    const { account, users, apiKeys } = await identity.exportIdentity(ctx, owner.accountId);
    expect(account).toEqual(await identity.getAccount(ctx, owner.accountId));
    const people = await collect(users);
    expect(people).toHaveLength(2);
    expect(people).toContainEqual(user);
    const keys = await collect(apiKeys);
    expect(keys).toContainEqual({ ...record, revokedAt: NOW });
    expect(JSON.stringify([people, keys])).not.toMatch(/hash/i);
  });

  test('every change is published', async () => {
    told = [];
    const user = await newUser('a@one.example');
    await identity.updateUser(ctx, owner, user.id, { name: 'x' });
    const { record } = await identity.createApiKey(ctx, owner, { name: 'Key', expiresAt: null });
    await identity.revokeApiKey(ctx, owner.accountId, record.id);
    await identity.updateAccount(ctx, owner.accountId, { name: 'x' });
    await identity.beginErasure(ctx, owner.accountId);
    await identity.eraseIdentity(ctx, owner.accountId);
    expect(told).toEqual(Array.from({ length: 7 }, () => owner.accountId));
  });
});

async function collect<T>(records: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const record of records) all.push(record);
  return all;
}
