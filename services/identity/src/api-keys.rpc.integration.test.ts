import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { hashApiKey } from '@fairlead/access/api-key';
import { Role } from '@fairlead/contracts/identity/v1/user_pb';
import { guid } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
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

const create = (
  ctx = one.asOwner,
  o: { userId?: string; expiresAt?: Date; scopes?: string[]; toolsetId?: string } = {},
) =>
  world.apiKeys.createApiKey(ctx, {
    name: 'Key',
    ...(o.userId !== undefined && { userId: o.userId }),
    ...(o.expiresAt !== undefined && { expiresAt: timestampFromDate(o.expiresAt) }),
    ...(o.scopes !== undefined && { scopes: { names: o.scopes } }),
    ...(o.toolsetId !== undefined && { toolsetId: o.toolsetId }),
  });
const list = async (ctx = one.asOwner) => (await world.apiKeys.listApiKeys(ctx, {})).items;
const resolved = async (apiKey: string, takesRestrictions = true) => {
  const hashes = [hashApiKey(new Secret(apiKey))];
  const { owners } = await world.credentials.resolveKeys(platformContext, { hashes, takesRestrictions });
  return owners[0];
};
const userOf = async (apiKey: string) => (await resolved(apiKey))?.member?.user?.id;

test('a key acts as the caller, or as the user who is named', async () => {
  const user = await newUser(world, one.asOwner);
  expect(await userOf((await create()).apiKey)).toBe(one.owner.id);
  expect(await userOf((await create(one.asOwner, { userId: user.id })).apiKey)).toBe(user.id);
});

test('only an owner creates a key of an owner', async () => {
  const { id: userId } = await newUser(world, one.asOwner, { role: Role.ADMIN });
  const admin = contextOf({ accountId: one.account.id, userId }, 'admin');
  await expect(create(admin, { userId: one.owner.id })).rejects.toMatchObject(FORBIDDEN);
  await expect(create(admin)).resolves.toBeDefined();
  await expect(create(one.asOwner, { userId })).resolves.toBeDefined();
});

test('only an owner revokes a key of an owner', async () => {
  const { id: userId } = await newUser(world, one.asOwner, { role: Role.ADMIN });
  const admin = contextOf({ accountId: one.account.id, userId }, 'admin');
  const [{ record, apiKey }, own] = [await create(), await create(admin)];
  const revoke = (id: string) => world.apiKeys.revokeApiKey(admin, { id });
  await expect(revoke(required(record).id)).rejects.toMatchObject(FORBIDDEN);
  expect(await userOf(apiKey)).toBe(one.owner.id);
  await revoke(required(own.record).id);
  expect(await userOf(own.apiKey)).toBeUndefined();
});

test('a key of an unknown user or of one of another account is not created', async () => {
  await expect(create(one.asOwner, { userId: two.owner.id })).rejects.toMatchObject(NOT_FOUND);
  await expect(create(one.asOwner, { userId: 'usr_unknown' })).rejects.toMatchObject(NOT_FOUND);
  expect(await list()).toHaveLength(1);
});

test('a key may not have expired already', async () => {
  const now = world.clock.now();
  await expect(create(one.asOwner, { expiresAt: now })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'expiresAt' }],
  });
  const expiresAt = new Date(now.getTime() + 1);
  expect((await create(one.asOwner, { expiresAt })).record?.expiresAt).toEqual(timestampFromDate(expiresAt));
});

test('the list shows what is not revoked, newest first, and recognisable', async () => {
  world.clock.advance(1);
  const { record, apiKey } = await create();
  const { items, totalCount } = await world.apiKeys.listApiKeys(one.asOwner, { page: { offset: 0, top: 1 } });
  expect(totalCount).toBe(2);
  expect(items).toEqual([record]);
  expect(record?.maskedKey).toBe(`${apiKey.slice(0, 13)}…`);
  expect(record).not.toHaveProperty('lastUsedAt', expect.anything());
  await world.apiKeys.revokeApiKey(one.asOwner, { id: required(record).id });
  expect((await list()).map(({ id }) => id)).not.toContain(record?.id);
  expect(await userOf(apiKey)).toBeUndefined();
});

test('a key of another account, an unknown one and a revoked one do not exist', async () => {
  const { record, apiKey } = await create();
  const { id } = required(record);
  expect(await list(two.asOwner)).toHaveLength(1);
  const revoke = (ctx: typeof one.asOwner, keyId: string) => world.apiKeys.revokeApiKey(ctx, { id: keyId });
  await expect(revoke(two.asOwner, id)).rejects.toMatchObject(NOT_FOUND);
  expect(await userOf(apiKey)).toBe(one.owner.id);
  await revoke(one.asOwner, id);
  await expect(revoke(one.asOwner, id)).rejects.toMatchObject(NOT_FOUND);
  await expect(revoke(one.asOwner, 'key_unknown')).rejects.toMatchObject(NOT_FOUND);
});

test('a restricted key shows what it is limited to, and is unknown to a gateway that does not apply that', async () => {
  const toolsetId = guid();
  const { record, apiKey } = await create(one.asOwner, { scopes: ['tools.read'], toolsetId });
  expect(record).toMatchObject({ scopes: { names: ['tools.read'] }, toolsetId });
  expect(await list()).toContainEqual(record);
  expect(await resolved(apiKey)).toMatchObject({ scopes: { names: ['tools.read'] }, toolsetId });
  expect(await resolved(apiKey, false)).not.toHaveProperty('member', expect.anything());
  const none = await create(one.asOwner, { scopes: [] });
  expect(none.record).toMatchObject({ scopes: { names: [] } });
  await expect(create(one.asOwner, { scopes: ['tools.fly'] })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
});

test('the keys of a toolset end, no other key, and none can be created for it from then on', async () => {
  const [toolsetId, another] = [guid(), guid()];
  const ending = [await create(one.asOwner, { toolsetId }), await create(one.asOwner, { toolsetId })];
  const staying = [
    await create(),
    await create(one.asOwner, { toolsetId: another }),
    await create(two.asOwner, { toolsetId }),
  ];
  await world.apiKeys.endToolsetKeys(one.asOwner, { toolsetId });
  for (const { apiKey } of ending) expect(await userOf(apiKey)).toBeUndefined();
  for (const { apiKey } of staying) expect(await userOf(apiKey)).toBeDefined();
  await expect(create(one.asOwner, { toolsetId })).rejects.toMatchObject(NOT_FOUND);
  await expect(create(one.asOwner, { toolsetId: another })).resolves.toBeDefined();
  await expect(create(two.asOwner, { toolsetId })).resolves.toBeDefined();
  // Repeated, as by a retried deletion.
  await world.apiKeys.endToolsetKeys(one.asOwner, { toolsetId });
});

test('of creations while the keys of a toolset end, none is left', async () => {
  const toolsetId = guid();
  const creations = Array.from({ length: 20 }, () => create(one.asOwner, { toolsetId }));
  const settled = Promise.allSettled(creations);
  await Promise.race(creations);
  await world.apiKeys.endToolsetKeys(one.asOwner, { toolsetId });
  await settled;
  expect((await list()).filter((key) => key.toolsetId === toolsetId)).toEqual([]);
});

test('keys are managed by users: the platform itself has no account', async () => {
  const refused = { code: 'UNAUTHORIZED' };
  await expect(list(platformContext)).rejects.toMatchObject(refused);
  await expect(create(platformContext)).rejects.toMatchObject(refused);
  await expect(world.apiKeys.revokeApiKey(platformContext, { id: 'key_1' })).rejects.toMatchObject(refused);
});
