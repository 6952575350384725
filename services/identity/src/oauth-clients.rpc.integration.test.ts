import { Role } from '@fairlead/contracts/identity/v1/user_pb';
import { platformContext } from '@fairlead/service-kit/testing/account-data';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { contextOf } from './testing/context-of.ts';
import { newAccount, newUser, required, startWorld } from './testing/world.ts';
import type { TestAccount, World } from './testing/world.ts';

const FORBIDDEN = { code: 'FORBIDDEN' };
const NOT_FOUND = { code: 'NOT_FOUND' };

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

type Request = Parameters<World['oauthClients']['createOAuthClient']>[1];
const create = (ctx = one.asOwner, request: Request = {}) =>
  world.oauthClients.createOAuthClient(ctx, {
    name: 'Job',
    grantTypes: ['client_credentials'],
    scopes: ['tools.read'],
    ...request,
  });
const list = (ctx = one.asOwner, page = { offset: 0, top: 100 }) =>
  world.oauthClients.listOAuthClients(ctx, { page });

test('a client is listed without the secret, which is returned once, newest first, by pages', async () => {
  const first = await create();
  world.clock.advance(1);
  const second = await create(one.asOwner, {
    redirectUris: ['https://a.example/callback'],
    grantTypes: ['authorization_code', 'refresh_token', 'authorization_code'],
    scopes: ['tools.read', 'administration', 'tools.read'],
  });
  expect(second.client).toMatchObject({
    redirectUris: ['https://a.example/callback'],
    grantTypes: ['authorization_code', 'refresh_token'],
    scopes: ['tools.read', 'administration'],
    userId: one.owner.id,
  });
  expect(await list()).toMatchObject({ items: [second.client, first.client], totalCount: 2 });
  expect(await list(one.asOwner, { offset: 1, top: 1 })).toMatchObject({
    items: [first.client],
    totalCount: 2,
  });
});

test('a client acts as the user who is named; only an owner creates one that acts as an owner', async () => {
  const { id: userId } = await newUser(world, one.asOwner, { role: Role.ADMIN });
  const admin = contextOf({ accountId: one.account.id, userId }, 'admin');
  expect((await create(one.asOwner, { userId })).client?.userId).toBe(userId);
  await expect(create(admin, { userId: one.owner.id })).rejects.toMatchObject(FORBIDDEN);
  expect((await list()).totalCount).toBe(1);
});

test('only an owner deletes a client that acts as an owner', async () => {
  const { id: userId } = await newUser(world, one.asOwner, { role: Role.ADMIN });
  const admin = contextOf({ accountId: one.account.id, userId }, 'admin');
  const [owners, own] = [required((await create()).client), required((await create(admin)).client)];
  const remove = (id: string) => world.oauthClients.deleteOAuthClient(admin, { id });
  await expect(remove(owners.id)).rejects.toMatchObject(FORBIDDEN);
  await remove(own.id);
  expect((await list()).items).toEqual([owners]);
});

test('a user of another account is unknown', async () => {
  await expect(create(one.asOwner, { userId: two.owner.id })).rejects.toMatchObject(NOT_FOUND);
  await expect(create(one.asOwner, { userId: 'usr_unknown' })).rejects.toMatchObject(NOT_FOUND);
});

test('a client of another account is neither listed nor deleted; a deleted one is unknown', async () => {
  const { id } = required((await create()).client);
  expect((await list(two.asOwner)).totalCount).toBe(0);
  const remove = (ctx: typeof one.asOwner, clientId: string) =>
    world.oauthClients.deleteOAuthClient(ctx, { id: clientId });
  await expect(remove(two.asOwner, id)).rejects.toMatchObject(NOT_FOUND);
  await remove(one.asOwner, id);
  expect((await list()).totalCount).toBe(0);
  for (const unknown of [id, 'client_unknown', 'fairlead-cli'])
    await expect(remove(one.asOwner, unknown)).rejects.toMatchObject(NOT_FOUND);
});

test.each<[string, Request, string]>([
  ['another grant', { grantTypes: ['password'] }, 'grantTypes'],
  ['another scope', { scopes: ['everything'] }, 'scopes'],
  ['no grant', { grantTypes: [] }, 'grantTypes'],
  ['a code without an address', { grantTypes: ['authorization_code'] }, 'redirectUris'],
])('a client with %s is VALIDATION_ERROR', async (_name, request, field) => {
  await expect(create(one.asOwner, request)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field }],
  });
});

test('an account has at most 100 clients, however many are created at once', async () => {
  for (let round = 0; round < 9; round += 1) await Promise.all(Array.from({ length: 11 }, () => create()));
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => create()));
  expect(results.map(({ status }) => status).sort()).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'rejected',
    'rejected',
  ]);
  const reasons = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  for (const reason of reasons) expect(reason).toMatchObject({ code: 'CONFLICT' });
  expect((await list()).totalCount).toBe(100);
});

test('clients are managed by users: the platform itself has no account', async () => {
  const refused = { code: 'UNAUTHORIZED' };
  await expect(list(platformContext)).rejects.toMatchObject(refused);
  await expect(create(platformContext)).rejects.toMatchObject(refused);
  const deleting = world.oauthClients.deleteOAuthClient(platformContext, { id: 'client_1' });
  await expect(deleting).rejects.toMatchObject(refused);
});
