import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { Connection } from '../domain/connection.ts';
import { newConnection, NOW, OWNER } from '../testing/builders.ts';
import type { ConnectionStorage } from '../testing/connection-storage.ts';
import { openConnectionStorage } from '../testing/connection-storage.ts';
import { createConnectionUses } from './connection-uses.ts';
import type { ConnectionUses } from './connection-uses.ts';
import { connectionCollection } from './connection.collection.ts';

const ctx = testContext(OWNER);
const { accountId } = OWNER;
let storage: ConnectionStorage;
let clock: ManualClock;
let planned: (() => void)[];
let uses: ConnectionUses;
let id: number;

beforeAll(async () => {
  storage = await openConnectionStorage(inject('mongodbUri'));
});

afterAll(() => storage.store.drop());

const usesOf = (store = storage.store): ConnectionUses => {
  const timers = {
    after: (_delayMs: number, run: () => void) => {
      planned.push(run);
      return { cancel: () => undefined };
    },
  };
  return createConnectionUses({ store, clock, timers, log: captureLog().log });
};

beforeEach(async () => {
  clock = new ManualClock(NOW);
  planned = [];
  uses = usesOf();
  id = await storage.connections.nextId();
  await storage.connections.insert(ctx, accountId, newConnection({ id }));
});

const stored = (): Promise<Connection | undefined> => storage.connections.find(ctx, accountId, id);

async function use(by = uses): Promise<void> {
  const document = await storage.store.collection(connectionCollection).findOne({ accountId, _id: id });
  if (document !== null) by.note(document);
}

test('a use is written in the background, and nothing else', async () => {
  const before = await stored();
  expect(before?.lastUsedAt).toBeUndefined();
  await use();
  await use();
  expect(await stored()).toEqual(before);
  expect(planned).toHaveLength(1);
  planned[0]?.();
  await uses.drain();
  expect(await stored()).toEqual({ ...before, lastUsedAt: NOW });
});

test('a use within 50 s of the stored one is not written, by any replica; a later one is', async () => {
  const other = usesOf();
  await use();
  clock.advance(5_000);
  await use(other);
  await uses.drain();
  await other.drain();
  expect((await stored())?.lastUsedAt).toEqual(NOW);
  clock.advance(44_999);
  planned = [];
  await use();
  expect(planned).toEqual([]);
  clock.advance(1);
  await use();
  await uses.drain();
  expect((await stored())?.lastUsedAt).toEqual(clock.now());
});

test('what is deleted before the write stays deleted, and a write that fails is dropped', async () => {
  await use();
  await storage.connections.delete(ctx, accountId, id, NOW);
  await uses.drain();
  expect(await stored()).toBeUndefined();
  const collection = () => ({ bulkWrite: () => Promise.reject(new Error('down')) });
  const failing = usesOf({ ...storage.store, collection } as unknown as ConnectionStorage['store']);
  failing.note({ _id: 1, accountId });
  await expect(failing.drain()).resolves.toBeUndefined();
});

test('at most 10 000 connections are noted at a time', async () => {
  const sizes: number[] = [];
  const collection = () => ({
    bulkWrite: (writes: readonly unknown[]) => Promise.resolve(sizes.push(writes.length)),
  });
  const bounded = usesOf({ ...storage.store, collection } as unknown as ConnectionStorage['store']);
  for (let each = 1; each <= 10_001; each += 1) bounded.note({ _id: each, accountId });
  await bounded.drain();
  expect(sizes).toEqual([10_000]);
});

test('the opening of a credential for a call or a test is a use; no other is', async () => {
  const { credentials, used } = storage;
  const before = used.length;
  for (const purpose of ['call', 'test', 'refresh', 'revocation'] as const)
    await credentials.read(ctx, accountId, id, purpose);
  const until = new Date(NOW.getTime() + 30_000);
  await credentials.claim(ctx, { accountId, connectionId: id, owner: 'me' }, { version: 1, now: NOW, until });
  expect(used.slice(before)).toEqual([id, id]);
});
