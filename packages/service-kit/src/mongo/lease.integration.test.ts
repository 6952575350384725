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
  const [mine, other] = [createLease(store, 'over', 60_000), createLease(store, 'over', 60_000)];
  await mine.hold();
  await leases(store.db).updateOne({ _id: 'over' }, { $set: { expiresAt: new Date(0) } });
  expect([await other.hold(), await mine.hold()]).toEqual([true, false]);
});

test('of many that ask at once, one gets it', async () => {
  const all = Array.from({ length: 10 }, () => createLease(store, 'race', 60_000));
  const answers = await Promise.all(all.map((lease) => lease.hold()));
  expect(answers.filter(Boolean)).toHaveLength(1);
});
