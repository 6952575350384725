import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createLease, leases } from './lease.ts';
import type { MongoStore } from './mongo.ts';
import { testStore } from '../testing/mongo.ts';

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), []);
});
afterAll(() => store.drop());

test('a lease has one holder, who renews it, until it is released', async () => {
  const [mine, other] = [createLease(store, 'given-back', 60_000), createLease(store, 'given-back', 60_000)];
  expect([await mine.hold(), await other.hold(), await mine.hold()]).toEqual([true, false, true]);
  await other.release();
  expect(await other.hold()).toBe(false);
  await mine.release();
  expect(await other.hold()).toBe(true);
});

test('a lease that ran out is free', async () => {
  let now = 0;
  const [mine, other] = [createLease(store, 'over', 60_000, () => now), createLease(store, 'over', 60_000)];
  await mine.hold();
  await leases(store.db).updateOne({ _id: 'over' }, { $set: { expiresAt: new Date(0) } });
  now = 20_000;
  expect([await other.hold(), await mine.hold()]).toEqual([true, false]);
});

test('a lease is renewed once a third of its time is over, and asked for again after it was lost or released', async () => {
  let now = 0;
  const mine = createLease(store, 'renewed', 60_000, () => now);
  const stored = { _id: 'renewed' };
  const isRenewed = async () => {
    const before = new Date(Date.now() + 30_000);
    await leases(store.db).updateOne(stored, { $set: { expiresAt: before } });
    expect(await mine.hold()).toBe(true);
    return (await leases(store.db).findOne(stored))?.expiresAt.getTime() !== before.getTime();
  };
  await mine.hold();
  now = 19_999;
  expect(await isRenewed()).toBe(false);
  now = 20_000;
  expect(await isRenewed()).toBe(true);
  await leases(store.db).updateOne(stored, { $set: { owner: 'another' } });
  now = 40_000;
  expect([await mine.hold(), await mine.hold()]).toEqual([false, false]);
  await leases(store.db).deleteOne(stored);
  expect(await mine.hold()).toBe(true);
  await mine.release();
  const expiresAt = new Date(Date.now() + 60_000);
  await leases(store.db).insertOne({ ...stored, owner: 'another', expiresAt });
  expect(await mine.hold()).toBe(false);
});
