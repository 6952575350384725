import type { RequestContext } from '@fairlead/service-kit/context/context';
import { dataKeyCollection } from '@fairlead/sealing/data-keys';
import { eraseAll } from '@fairlead/service-kit/testing/account-data';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import {
  authorize,
  browserContext,
  create,
  createBySignIn,
  createCrmAuthProvider,
  required,
  signIn,
  startWorld,
} from './testing/world.ts';
import type { World } from './testing/world.ts';
import type { ConnectionDocument } from './storage/connection.collection.ts';
import type { RevocationDocument } from './storage/revocation.collection.ts';

let world: World;
let ctx: RequestContext;

beforeAll(async () => {
  world = await startWorld(inject('mongodbUri'), { count: 2 });
});
afterAll(() => world.close());
beforeEach(async () => {
  ctx = testContext();
  await world.crm.admin('/reset', {});
  // The vendor's start rate uses this clock.
  world.clock.advance(10_000);
});

const patiently = { timeout: 90_000, interval: 100 };

const revocations = () => world.db.collection<RevocationDocument>('revocations');
const waiting = () => revocations().countDocuments();

/** Number of grants at the vendor. */
async function grants(): Promise<number> {
  const { body } = await world.crm.admin('/state');
  // The sandbox CRM defines the shape; its own tests check it.
  return (body as { grants: number }).grants;
}

/**
 * Resolves once no grant waits. The clock stands still during attempts: one that began before the vendor returned fails, and is retried a
 * minute after its end. While grants are due, the clock advances only as far as the start rate needs.
 */
async function allRevoked(): Promise<void> {
  await expect
    .poll(async () => {
      const isDue = { 'due.at': { $lte: world.clock.now() } };
      const claimed = await revocations().countDocuments({ 'due.claim': { $ne: null } });
      const due = await revocations().countDocuments(isDue);
      if (claimed === 0) world.clock.advance(due > 0 ? 1_000 : 60_000);
      return await waiting();
    }, patiently)
    .toBe(0);
}

const remove = (id: number) => world.instance.connections.deleteConnection(ctx, { id });

test('the grant of a deleted connection is revoked at the vendor, and only that one', async () => {
  const before = await grants();
  const [kept, deleted] = [await createBySignIn(world, ctx), await createBySignIn(world, ctx)];
  expect(await grants()).toBe(before + 2);
  await remove(deleted.id);
  await expect.poll(grants, patiently).toBe(before + 1);
  await expect.poll(waiting, patiently).toBe(0);
  expect(await world.instance.connections.testConnection(ctx, { id: kept.id })).toMatchObject({
    isSuccess: true,
  });
});

test('a deletion does not wait for a vendor that is away, whose grant is revoked once it is back', async () => {
  const { id } = await createBySignIn(world, ctx);
  const before = await grants();
  await world.crm.admin('/down', {});
  await remove(id);
  await expect(world.instance.connections.getConnection(ctx, { id })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect.poll(async () => (await revocations().findOne({ _id: id }))?.attempts, patiently).toBe(1);
  const held = required((await revocations().findOne({ _id: id })) ?? undefined);
  expect(held.connection).toMatchObject({ connectionName: '', description: null, metadata: '{}' });
  await world.crm.admin('/up', {});
  await allRevoked();
  expect(await grants()).toBe(before - 1);
});

test('the grant of a sign-in that nobody makes a connection of is revoked once it has expired, and no other', async () => {
  const before = await grants();
  await signIn(world, ctx);
  const { id } = await createBySignIn(world, ctx);
  expect([await grants(), await waiting()]).toEqual([before + 2, 1]);
  // Five minutes, plus one for clock skew.
  world.clock.advance(361_000);
  await expect.poll(grants, patiently).toBe(before + 1);
  await expect.poll(waiting, patiently).toBe(0);
  expect(await world.instance.connections.testConnection(ctx, { id })).toMatchObject({ isSuccess: true });
});

test('what is no grant leaves nothing to revoke', async () => {
  const direct = await create(world, ctx);
  const ofClient = await create(world, ctx, { authenticationId: 2, fields: {} });
  await world.instance.credentials.getCredentials(ctx, { connectionId: ofClient.id });
  await world.crm.admin('/down', {});
  const signedIn = await createBySignInWhileUp();
  for (const id of [direct.id, ofClient.id, signedIn]) await remove(id);
  expect(await waiting()).toBe(1);
  await world.crm.admin('/up', {});
  await allRevoked();
});

/** Collections with a document that contains `text`: an account id, by default the alias of erased accounts. */
async function tracesOf(text = 'erased_'): Promise<string[]> {
  const traces: string[] = [];
  for (const { name } of await world.db.listCollections().toArray()) {
    const documents = await world.db.collection(name).find().toArray();
    if (documents.some((document) => JSON.stringify(document).includes(text))) traces.push(name);
  }
  return traces.toSorted();
}

test('an erasure does not wait for a vendor that is away: the grants of the account are revoked once it is back, and nothing of them names the account', async () => {
  ctx = testContext({ permissions: ['authProviders.use'] });
  const { accountId } = ctx.caller as { accountId: string };
  const before = await grants();
  const provider = await createCrmAuthProvider(world, ctx);
  const choice = { case: 'providerId', value: provider.id } as const;
  await createBySignIn(world, ctx);
  await createBySignIn(world, ctx);
  const request = { applicationSlug: 'sandbox-crm', authenticationId: 0, provider: { choice } };
  const { state } = await world.instance.signIns.startSignIn(ctx, request);
  await world.instance.pages.completeSignIn(browserContext(), await authorize(world, state));
  await create(world, ctx, { authenticationId: 0, fields: {}, oauthState: state, provider: { choice } });
  // One connection is already deleted, and its grant waits.
  const deleted = await createBySignIn(world, ctx);
  await create(world, ctx);
  const other = testContext();
  const kept = await createBySignIn(world, other);
  expect(await grants()).toBe(before + 5);
  await world.crm.admin('/down', {});
  await remove(deleted.id);
  expect(await eraseAll(world.instance.accountData, accountId)).toBe(1);
  expect(await tracesOf(accountId)).toEqual([]);
  expect(await waiting()).toBe(4);
  expect(await tracesOf()).toEqual(
    [dataKeyCollection.name, 'retired_auth_providers', 'revocations'].toSorted(),
  );
  expect(await revocations().distinct('connection.endUserId')).toEqual([null]);
  await world.crm.admin('/up', {});
  await allRevoked();
  expect(await grants()).toBe(before + 1);
  await expect.poll(() => tracesOf(), patiently).toEqual([]);
  expect(await world.instance.connections.testConnection(other, { id: kept.id })).toMatchObject({
    isSuccess: true,
  });
});

test('more grants than one step of an erasure moves are moved, and revoked as a deletion does', async () => {
  const { accountId } = ctx.caller as { accountId: string };
  const { id } = await createBySignIn(world, ctx);
  const connections = world.db.collection<ConnectionDocument>('connections');
  const model = required((await connections.findOne({ _id: id })) ?? undefined);
  // These copies of sealed values cannot be opened; they are removed with the account and must not delay the erasure.
  const copies = Array.from({ length: 250 }, (_, index) => ({
    ...model,
    _id: 900_000 + index,
    isDefault: false,
  }));
  await connections.insertMany(copies);
  expect(await eraseAll(world.instance.accountData, accountId)).toBe(1);
  expect(await tracesOf(accountId)).toEqual([]);
  expect(await waiting()).toBeLessThanOrEqual(1);
  await expect.poll(waiting, patiently).toBe(0);
});

async function createBySignInWhileUp(): Promise<number> {
  await world.crm.admin('/up', {});
  const { id } = await createBySignIn(world, ctx);
  await world.crm.admin('/down', {});
  return id;
}
