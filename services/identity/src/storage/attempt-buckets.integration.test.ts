import { ManualClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { attemptBucketsSuite } from '../pages/testing/attempt-buckets-suite.ts';
import { attemptBucketCollection } from './attempt-bucket.collection.ts';
import { attemptBuckets } from './attempt-buckets.ts';

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [attemptBucketCollection]);
});
afterAll(() => store.drop());

describe('attempts in MongoDB', () => {
  attemptBucketsSuite((clock) => attemptBuckets({ store, clock }));

  test('replicas share them', async () => {
    const clock = new ManualClock(new Date());
    const [one, other] = [attemptBuckets({ store, clock }), attemptBuckets({ store, clock })];
    const bucket = { kind: 'shared', source: 'a', capacity: 2, refillMs: 1000 };
    expect([await one.take(bucket), await other.take(bucket), await one.take(bucket)]).toEqual([0, 0, 1000]);
  });

  test('a flood of sources makes a bounded number of documents, none of which names its source', async () => {
    const buckets = attemptBuckets({ store, clock: new ManualClock(new Date()) });
    const sources = Array.from({ length: 50 }, (_, index) => `olga-${index}@fairlead.example`);
    await Promise.all(
      sources.map((source) => buckets.take({ kind: 'flood', source, capacity: 2, refillMs: 60_000 })),
    );
    const documents = await store
      .collection(attemptBucketCollection)
      .find({ _id: /^flood:/ })
      .toArray();
    expect(documents.every(({ _id }) => /^flood:[0-9a-f]{5}$/.test(_id))).toBe(true);
    expect(documents.length).toBeGreaterThan(40);
  });

  test('MongoDB deletes a bucket once it is empty', () => {
    expect(attemptBucketCollection.indexes).toMatchObject([{ key: { emptyAt: 1 }, expireAfterSeconds: 0 }]);
  });
});
