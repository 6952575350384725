import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createConnectionCounts } from '../storage/connection-counts.ts';
import { createExpiredListings } from '../storage/expired-listings.ts';
import type { ConnectionStorage } from '../testing/connection-storage.ts';
import { loadConnections, openConnectionStorage } from '../testing/connection-storage.ts';
import { startListingKeeper } from './listing-keeper.ts';

let storage: ConnectionStorage;
beforeAll(async () => {
  storage = await openConnectionStorage(inject('mongodbUri'));
});
afterAll(() => storage.store.drop());

test('licences of many connections that expire at once are listed soon, and a list reads its page only', async () => {
  const { store, connections } = storage;
  const start = new Date();
  const expiresAt = new Date(start.getTime() + 1_000);
  for (const account of ['acc_1', 'acc_2']) {
    await loadConnections(store, account, 1_300, () => ({
      licence: { status: 'active', expiresAt },
      createdAt: start,
    }));
  }
  const documents = store.db.collection('connections');
  const late = () => documents.countDocuments({ blocksAt: { $type: 'date' } });
  expect(await late()).toBe(2_600);
  await store.db.command({ profile: 2 });
  const listings = createExpiredListings(store, createConnectionCounts(store));
  const keeper = startListingKeeper({ listings, clock: new ManualClock(expiresAt), log: captureLog().log });
  await expect.poll(late).toBe(0);
  await keeper.close();

  const profile = store.db.collection<{ planSummary?: string; docsExamined?: number }>('system.profile');
  const found = await profile.find({ ns: /connections$/, 'command.find': 'connections' }).toArray();
  expect(found.length).toBeGreaterThan(2);
  expect(found.filter(({ planSummary }) => planSummary?.includes('COLLSCAN'))).toEqual([]);
  await store.db.command({ profile: 0 });
  await store.db.dropCollection('system.profile');
  await store.db.command({ profile: 2 });
  const filter = { kinds: [], applicationSlug: undefined, endUserId: undefined, offset: 0, top: 25 };
  const list = { ...filter, status: 'Blocked' } as const;
  expect((await connections.list(testContext(), 'acc_1', list, expiresAt)).totalCount).toBe(1_300);
  await store.db.command({ profile: 0 });
  const reads = await profile.find({ ns: /connections$/ }).toArray();
  expect(Math.max(...reads.map(({ docsExamined = 0 }) => docsExamined))).toBeLessThanOrEqual(25);
});
