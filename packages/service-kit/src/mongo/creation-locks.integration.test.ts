import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { guid } from '../ids.ts';
import { testContext } from '../testing/context.ts';
import { testStore } from '../testing/mongo.ts';
import { defineCollection } from './collection.ts';
import type { MongoStore } from './mongo.ts';
import {
  createUnderLock,
  fewerThan,
  hasRoomUnderLock,
  insertWithin,
  creationLockCollection,
  creationLock,
} from './creation-locks.ts';

interface ThingDocument {
  readonly _id: string;
  readonly accountId: string;
}

const thingCollection = defineCollection<ThingDocument>({
  name: 'things',
  indexes: [{ key: { accountId: 1 }, name: 'of_an_account' }],
});
const ctx = testContext();
const MOST = 5;
let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [thingCollection, creationLockCollection]);
});
afterAll(() => store.drop());

const things = () => store.collection(thingCollection);

/** Creates a thing if there is room; `fail` then aborts the transaction. */
async function create(accountId: string, fail?: () => void): Promise<boolean> {
  const room = fewerThan(MOST, { of: things(), like: { accountId } });
  const outcome = await createUnderLock(
    store,
    ctx,
    creationLock(store, accountId, 'things'),
    room,
    async (session) => {
      await things().insertOne({ _id: guid(), accountId }, { session });
      fail?.();
    },
  );
  return outcome !== 'full';
}

test('of many creations at the same time exactly as many succeed as there is room for, an account each', async () => {
  const [mine, theirs] = [guid(), guid()];
  // Written by an earlier release, which had no creation locks.
  await things().insertOne({ _id: guid(), accountId: mine });
  const created = await Promise.all(Array.from({ length: 20 }, () => create(mine)));
  expect(created.filter(Boolean)).toHaveLength(MOST - 1);
  expect(await things().countDocuments({ accountId: mine })).toBe(MOST);
  expect(await create(theirs)).toBe(true);
});

test('a creation that fails, and what is deleted, leave their room free', async () => {
  const accountId = guid();
  const fail = (): void => {
    throw new Error('killed between the count and the end');
  };
  for (let count = 0; count < MOST * 2; count += 1)
    await expect(create(accountId, fail)).rejects.toThrow('killed');
  for (let count = 0; count < MOST; count += 1) expect(await create(accountId)).toBe(true);
  expect(await create(accountId)).toBe(false);
  await things().deleteOne({ accountId });
  expect(await create(accountId)).toBe(true);
});

test('creations of other replicas, which do not take turns with these, are counted too', async () => {
  const accountId = guid();
  const elsewhere = (): Promise<boolean> =>
    store.withTransaction(async (session) => {
      const room = fewerThan(MOST, { of: things(), like: { accountId } });
      const isFree = await hasRoomUnderLock(session, ctx, creationLock(store, accountId, 'things'), room);
      if (isFree) await things().insertOne({ _id: guid(), accountId }, { session });
      return isFree;
    });
  const created = await Promise.all([...Array.from({ length: 10 }, elsewhere), create(accountId)]);
  expect(created.filter(Boolean)).toHaveLength(MOST);
});

test('a document is inserted within the limit of its account', async () => {
  const accountId = guid();
  const insert = () => {
    const document = { _id: guid(), accountId };
    return insertWithin(store, ctx, { into: things(), document, most: 2, like: { accountId } });
  };
  const inserted = await Promise.all(Array.from({ length: 10 }, insert));
  expect(inserted.filter(Boolean)).toHaveLength(2);
});
