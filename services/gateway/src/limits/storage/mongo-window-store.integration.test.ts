import { testStore } from '@fairlead/service-kit/testing/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { HOUR_MS } from '../domain/windows.ts';
import { windowStoreSuite } from '../testing/window-store-suite.ts';
import { limitCollections, mongoWindowStore } from './mongo-window-store.ts';
import { rateWindowCollection } from './rate-window.collection.ts';

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), limitCollections);
});
afterAll(() => store.drop());

describe('windows in MongoDB', () => {
  windowStoreSuite(() => mongoWindowStore(store));

  test('go by themselves once they are over for everybody, and name their account first', async () => {
    const startsAt = Date.UTC(2026, 10, 21, 13);
    const window = { accountId: 'acc_1', budget: 'hourly', startsAt } as const;
    await mongoWindowStore(store).exchange(window, { limit: 5, returned: 0, demand: 1, extra: 0 });
    expect(await store.collection(rateWindowCollection).findOne({ _id: /^acc_1\// })).toEqual({
      _id: 'acc_1/hourly/2026-11-21T13:00:00.000Z',
      used: 1,
      granted: 1,
      expiresAt: new Date(startsAt + 2 * HOUR_MS),
    });
    const indexes = await store.collection(rateWindowCollection).indexes();
    expect(indexes).toMatchObject([{ key: { _id: 1 } }, { key: { expiresAt: 1 }, expireAfterSeconds: 0 }]);
  });
});
