import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { minutesAfterNoon, storeEvent } from '../testing/events.ts';
import { deliveryCollection } from './delivery.collection.ts';
import { eventCollection } from './event.collection.ts';
import { createRetention } from './retention.ts';
import { schema } from './schema.ts';

const DAY = 24 * 60;
let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
});
afterAll(() => store.drop());

const ids = async (collection: typeof eventCollection | typeof deliveryCollection): Promise<string[]> =>
  (await store.db.collection<{ _id: string }>(collection.name).find().sort({ _id: 1 }).toArray()).map(
    ({ _id }) => _id,
  );

it('events and their deliveries are removed 30 days after their capture, oldest first, some at a time', async () => {
  const retention = createRetention(store, { atOnce: 5 });
  const at = (minutes: number) => ({ accountId: 'acc_1', capturedAt: minutesAfterNoon(minutes) });
  const old = Array.from({ length: 8 }, (_, minute) => minute);
  const kept: string[] = [];
  for (const minute of old) await storeEvent(store, at(minute));
  kept.push(await storeEvent(store, { ...at(20), states: { dst_1: 'delivered', dst_2: 'held' } }));
  kept.push(await storeEvent(store, { ...at(21), states: {} }));
  const now = minutesAfterNoon(30 * DAY + 20);
  expect(await retention.removeSome(now)).toBe(true);
  expect(await ids(eventCollection)).toHaveLength(5);
  expect(await retention.removeSome(now)).toBe(false);
  expect(await ids(eventCollection)).toEqual(kept);
  expect(await ids(deliveryCollection)).toEqual([`${String(kept[0])}:dst_1`, `${String(kept[0])}:dst_2`]);
  expect(await retention.removeSome(minutesAfterNoon(30 * DAY + 22))).toBe(false);
  expect([await ids(eventCollection), await ids(deliveryCollection)]).toEqual([[], []]);
});

it('its time is that of the database, and what it looks for is found by the ids', async () => {
  const retention = createRetention(store);
  expect(await retention.now()).toBeInstanceOf(Date);
  for (const { name } of [eventCollection, deliveryCollection]) {
    const plan = await store.db
      .collection<{ _id: string }>(name)
      .find({ _id: { $lt: 'te_0' } })
      .explain('queryPlanner');
    expect(JSON.stringify(plan)).not.toContain('COLLSCAN');
  }
});
