import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { windowStoreSuite } from './testing/window-store-suite.ts';
import { mongoWindowStore, rateWindowCollection, windowsOfKey } from './mongo-window-store.ts';
import { HOUR_MS } from './windows.ts';

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [rateWindowCollection]);
});
afterAll(() => store.drop());

describe('windows in MongoDB', () => {
  windowStoreSuite(() => mongoWindowStore(store));

  test('expire once they have ended for every replica, and are found by their key', async () => {
    const startsAt = Date.UTC(2126, 10, 21, 13);
    const window = { key: 'acc_1', name: 'hourly', startsAt };
    const order = { limit: 5, returned: 0, demand: 1, extra: 0 };
    for (const key of ['acc_1', 'acc_10', 'acc_1-a'])
      await mongoWindowStore(store).fillOrder({ ...window, key }, order);
    const windows = store.collection(rateWindowCollection);
    expect(await windows.find(windowsOfKey('acc_1')).toArray()).toEqual([
      {
        _id: 'acc_1/hourly/2126-11-21T13:00:00.000Z',
        used: 1,
        granted: 1,
        expiresAt: new Date(startsAt + 2 * HOUR_MS),
      },
    ]);
    const indexes = await windows.indexes();
    expect(indexes).toMatchObject([{ key: { _id: 1 } }, { key: { expiresAt: 1 }, expireAfterSeconds: 0 }]);
  });
});
