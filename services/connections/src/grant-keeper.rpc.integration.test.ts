import type { Connection } from '@fairlead/contracts/connections/v1/connection_pb';
import { ConnectionStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { ConnectionDocument, CredentialDocument } from './storage/connection.collection.ts';
import { createBySignIn, credentialOf, required, startWorld, tokenCalls } from './testing/world.ts';
import type { World } from './testing/world.ts';

let world: World;
let ctx: RequestContext;

beforeAll(async () => {
  world = await startWorld(inject('mongodbUri'), { count: 2 });
});
afterAll(() => world.close());
beforeEach(async () => {
  ctx = testContext();
  await world.crm.admin('/reset', {});
});

const HOUR_MS = 3_600_000;
const patiently = { timeout: 90_000, interval: 100 };

const refreshes = async (): Promise<number> => (await tokenCalls(world))['refresh_token'] ?? 0;
async function credentialIn(id: number): Promise<CredentialDocument> {
  const document = await world.db.collection<ConnectionDocument>('connections').findOne({ _id: id });
  return required(document?.credential);
}

const dueAfterMs = async (id: number): Promise<number> =>
  required((await credentialIn(id)).renewal?.at).getTime() - world.clock.now().getTime();

async function statusOf(id: number): Promise<ConnectionStatus> {
  return required((await world.instance.connections.getConnection(ctx, { id })).connection).status;
}

test('[completion.connections.65] grants that nobody uses are renewed within a day, once each over all replicas, and work when they are used', async () => {
  const created: Connection[] = [];
  for (let count = 0; count < 5; count += 1) created.push(await createBySignIn(world, ctx));
  world.clock.advance(21 * HOUR_MS);
  await expect.poll(() => dueAfterMs(required(created[0]).id)).toBeGreaterThan(0);
  expect(await refreshes()).toBe(0);
  world.clock.advance(3 * HOUR_MS);
  await expect.poll(refreshes, patiently).toBe(5);
  for (const { id } of created) {
    await expect.poll(() => dueAfterMs(id), patiently).toBeGreaterThan(21 * HOUR_MS);
    expect((await credentialOf(world.instance, ctx, id)).version).toBe(2n);
  }
  expect(await refreshes()).toBe(5);
});

test('a vendor that is away changes no status: its grants are tried again within an hour, and then renewed', async () => {
  const { id } = await createBySignIn(world, ctx);
  await world.crm.admin('/down', {});
  world.clock.advance(24 * HOUR_MS);
  await expect.poll(async () => (await credentialIn(id)).failingSince, patiently).toEqual(world.clock.now());
  expect(await dueAfterMs(id)).toBeGreaterThan(0.8 * HOUR_MS);
  expect(await dueAfterMs(id)).toBeLessThanOrEqual(HOUR_MS);
  expect(await statusOf(id)).toBe(ConnectionStatus.ACTIVE);
  await world.crm.admin('/up', {});
  world.clock.advance(HOUR_MS);
  await expect.poll(async () => (await credentialIn(id)).failingSince, patiently).toBeNull();
  expect(await dueAfterMs(id)).toBeGreaterThan(21 * HOUR_MS);
  expect(await statusOf(id)).toBe(ConnectionStatus.ACTIVE);
});

test('a grant that was revoked unseen is found out, though nobody uses it', async () => {
  const { id } = await createBySignIn(world, ctx);
  await world.crm.admin('/revoke-grants', {});
  world.clock.advance(24 * HOUR_MS);
  await expect.poll(() => statusOf(id), patiently).toBe(ConnectionStatus.NEEDS_REAUTHENTICATION);
  expect((await credentialIn(id)).renewal).toBeNull();
});
