import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Connection } from '../domain/connection.ts';
import type { NewConnection } from '../ports/connection-store.ts';
import { discoveredServer, newConnection, newCredential } from '../testing/builders.ts';
import type { ConnectionStorage } from '../testing/connection-storage.ts';
import { openConnectionStorage } from '../testing/connection-storage.ts';

const ctx = testContext();
const accountId = 'acc_1';
let storage: ConnectionStorage;

beforeAll(async () => {
  storage = await openConnectionStorage(inject('mongodbUri'));
});
afterAll(() => storage.store.drop());

async function insert(over: Partial<NewConnection> = {}): Promise<Connection> {
  const id = await storage.connections.nextId();
  const given = newConnection({ id, accountId, grant: 'authorizationCode', ...over });
  return await storage.connections.insert(ctx, accountId, given);
}

test('only another connection of the same owner, method and client that works is ended with a consent', async () => {
  const { revocations, connections } = storage;
  const credential = (authProviderId: number) => newCredential({ authProviderId });
  const mine = await insert();
  const others = [
    await insert({ endUserId: 'customer-1' }),
    await insert({ authenticationId: 7 }),
    await insert({ applicationSlug: 'erp' }),
    await insert({ needsReauthentication: true }),
  ];
  await connections.delete(ctx, accountId, mine.id, new Date());
  const { db } = storage.store;
  await db.command({ profile: 2 });
  expect(await revocations.hasSibling(ctx, mine)).toBe(false);
  const sibling = await insert();
  expect(await revocations.hasSibling(ctx, mine)).toBe(true);
  expect(await revocations.hasSibling(ctx, { ...mine, accountId: 'acc_2' })).toBe(false);
  expect(await revocations.hasSibling(ctx, { ...mine, authProviderId: 3 })).toBe(false);
  expect(await revocations.hasSibling(ctx, { ...mine, endUserId: 'customer-1' })).toBe(true);
  expect(others).not.toContain(sibling);

  const server = discoveredServer();
  const kind = 'MCPClient' as const;
  const mcp = await insert({ applicationSlug: 'mcp-1', kind, credential: { ...credential(0), server } });
  await connections.delete(ctx, accountId, mcp.id, new Date());
  expect(await revocations.hasSibling(ctx, mcp)).toBe(false);
  await insert({ applicationSlug: 'mcp-2', kind, credential: { ...credential(0), server } });
  expect(await revocations.hasSibling(ctx, mcp)).toBe(true);
  const elsewhere = { ...mcp, server: { ...server, clientId: 'another' } };
  expect(await revocations.hasSibling(ctx, elsewhere)).toBe(false);
  await db.command({ profile: 0 });
  const profile = db.collection<{ planSummary?: string }>('system.profile');
  const plans = (await profile.find().toArray()).flatMap(({ planSummary }) => planSummary ?? []);
  expect(plans.length).toBeGreaterThan(6);
  expect(plans.filter((plan) => plan.includes('COLLSCAN'))).toEqual([]);
});
