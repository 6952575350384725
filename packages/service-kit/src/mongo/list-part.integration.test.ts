import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { defineCollection } from './collection.ts';
import { listNewestFirst } from './list-part.ts';
import type { MongoStore } from './mongo.ts';
import { testContext } from '../testing/context.ts';
import { testStore } from '../testing/mongo.ts';

interface SizedDocument {
  readonly _id: string;
  readonly accountId: string;
  readonly createdAt: Date;
  readonly text: string;
}

const sized = defineCollection<SizedDocument>({
  name: 'sized',
  indexes: [{ key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'list' }],
});
const NOW = new Date('2026-11-28T10:00:00.000Z');
const ctx = testContext();

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [sized]);
});
afterAll(() => store.drop());

/** Stores documents of these sizes, the newest first; each two have the same time. */
async function insert(accountId: string, sizes: readonly number[]): Promise<void> {
  await store.collection(sized).insertMany(
    sizes.map((size, at) => ({
      _id: `${accountId}-${String(900 - at)}`,
      accountId,
      createdAt: new Date(NOW.getTime() - Math.floor(at / 2)),
      text: 'x'.repeat(size),
    })),
  );
}

/** The ids in each part of a page. */
async function parts(accountId: string, offset: number, top: number): Promise<readonly string[][]> {
  const found: string[][] = [];
  let page: { offset: number; top: number; after?: string | undefined } = { offset, top };
  for (;;) {
    const { items, totalCount, next } = await listNewestFirst(
      store.collection(sized),
      ctx,
      { accountId },
      page,
      { toItem: ({ _id }) => _id, hint: 'list' },
    );
    expect(totalCount > 0).toBe(page.after === undefined);
    found.push([...items]);
    if (next === undefined) return found;
    page = { offset: 0, top: page.top - items.length, after: next };
  }
}

const KIB = 1024;

test('a page of small documents is one part', async () => {
  await insert('small', [100, 100, 100, 100, 100]);
  expect(await parts('small', 1, 3)).toEqual([['small-899', 'small-898', 'small-897']]);
});

test('a part has as many documents as fit, and at least one; the parts have each of the page once', async () => {
  await insert('large', [400 * KIB, 400 * KIB, 400 * KIB, 2_000 * KIB, 100, 900 * KIB, 1_000 * KIB, 100]);
  expect(await parts('large', 0, 7)).toEqual([
    ['large-900', 'large-899'],
    ['large-898'],
    ['large-897'],
    ['large-896'],
    ['large-895'],
    ['large-894'],
  ]);
});

test('a document that is written while a page is read in parts is not in it, and moves none', async () => {
  await insert('moving', [900 * KIB, 900 * KIB]);
  const read = (after?: string) =>
    listNewestFirst(
      store.collection(sized),
      ctx,
      { accountId: 'moving' },
      { offset: 0, top: 2, after },
      { toItem: ({ _id }) => _id },
    );
  const first = await read();
  expect(first).toMatchObject({ items: ['moving-900'], totalCount: 2 });
  const newest = { _id: 'moving-new', accountId: 'moving', text: '' };
  await store.collection(sized).insertOne({ ...newest, createdAt: new Date(NOW.getTime() + 1) });
  expect(await read(first.next)).toEqual({ items: ['moving-899'], totalCount: 0, next: undefined });
});

test('each part is read by the index of the list', async () => {
  await insert(
    'indexed',
    Array.from({ length: 30 }, () => 90 * KIB),
  );
  const { db } = store;
  await db.command({ profile: 2 });
  await parts('indexed', 0, 5);
  const { next } = await listNewestFirst(
    store.collection(sized),
    ctx,
    { accountId: 'indexed' },
    { offset: 0, top: 20 },
    { toItem: ({ _id }) => _id, hint: 'list' },
  );
  await listNewestFirst(
    store.collection(sized),
    ctx,
    { accountId: 'indexed' },
    { offset: 0, top: 3, after: next },
    { toItem: ({ _id }) => _id, hint: 'list' },
  );
  await db.command({ profile: 0 });
  const plans = await db
    .collection<{
      readonly planSummary?: string;
      readonly hasSortStage?: boolean;
      readonly docsExamined: number;
    }>('system.profile')
    .find({ ns: `${db.databaseName}.sized`, planSummary: { $exists: true } })
    .toArray();
  expect(plans.length).toBeGreaterThanOrEqual(5);
  const dear = plans.filter(
    ({ planSummary = '', hasSortStage, docsExamined }) =>
      planSummary.includes('COLLSCAN') || hasSortStage === true || docsExamined > 21,
  );
  expect(dear).toEqual([]);
});
