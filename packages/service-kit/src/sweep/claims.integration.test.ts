import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { MongoStore } from '../mongo/mongo.ts';
import { DUE_PATH, job, jobCollection } from '../testing/due-jobs.ts';
import type { JobDocument } from '../testing/due-jobs.ts';
import { testStore } from '../testing/mongo.ts';
import { createClaims } from './claims.ts';
import type { Claims } from './claims.ts';

const now = new Date('2026-11-22T12:00:00.000Z');
const before = (ms: number): Date => new Date(now.getTime() - ms);
const after = (ms: number): Date => new Date(now.getTime() + ms);
const until = after(30_000);

let store: MongoStore & { drop(): Promise<void> };
let claims: Claims<JobDocument>;

beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [jobCollection]);
});
afterAll(() => store.drop());
beforeEach(async () => {
  claims = createClaims(store, jobCollection, DUE_PATH);
  await store.collection(jobCollection).deleteMany({});
});

const insert = (...jobs: JobDocument[]) => store.collection(jobCollection).insertMany(jobs);
const claimAll = (partition = 'a', at = now) =>
  claims.claim(partition, { now: at, until: new Date(at.getTime() + 30_000), limit: 100 });
const ids = (claimed: readonly { readonly document: JobDocument }[]): number[] =>
  claimed.map(({ document }) => document._id).toSorted((a, b) => a - b);
const dueOf = async (_id: number) => (await store.collection(jobCollection).findOne({ _id }))?.work.due;

interface ProfileEntry {
  readonly planSummary?: string;
  readonly keysExamined?: number;
  readonly docsExamined?: number;
}

/** The operations on jobs of `act`. */
async function profile(act: () => Promise<unknown>): Promise<readonly ProfileEntry[]> {
  const { db } = store;
  await db.command({ profile: 2 });
  await act();
  await db.command({ profile: 0 });
  const found = await db
    .collection<ProfileEntry>('system.profile')
    .find({ ns: `${db.databaseName}.jobs` })
    .toArray();
  await db.dropCollection('system.profile');
  return found;
}

describe('the due partitions', () => {
  test.each([{}, { hasTimeIndex: true }])(
    'are those with a due document, the longest overdue first: %o',
    async (o) => {
      claims = createClaims(store, jobCollection, DUE_PATH, o);
      await insert(
        job(1, 'a', before(1)),
        job(2, 'a', after(1)),
        job(3, 'b', before(2)),
        job(4, 'c', after(1)),
      );
      await insert({ _id: 5, runs: [], work: { due: null } });
      expect(await claims.duePartitions(now, 10)).toEqual([
        { partition: 'b', at: before(2) },
        { partition: 'a', at: before(1) },
      ]);
      expect(await claims.duePartitions(now, 1)).toEqual([{ partition: 'b', at: before(2) }]);
    },
  );

  test.each([{}, { hasTimeIndex: true }])('are those that begin with what is named: %o', async (o) => {
    claims = createClaims(store, jobCollection, DUE_PATH, { ...o, partitions: 'b/' });
    const partitions = ['a', 'b', 'b/1', 'b/2', 'b/2', 'c'];
    await insert(...partitions.map((partition, index) => job(index, partition, before(index))));
    expect((await claims.duePartitions(now, 10)).map(({ partition }) => partition)).toEqual(['b/2', 'b/1']);
  });

  test('are all there are, whatever the number of documents that are due in one of them', async () => {
    claims = createClaims(store, jobCollection, DUE_PATH, { hasTimeIndex: true });
    await insert(...Array.from({ length: 5_001 }, (_, index) => job(index, 'a', before(10))));
    await insert(job(5_001, 'b', before(1)));
    expect((await claims.duePartitions(now, 10)).map(({ partition }) => partition)).toEqual(['a', 'b']);
  });

  test('are read from one page of the time index while many partitions have due documents', async () => {
    claims = createClaims(store, jobCollection, DUE_PATH, { hasTimeIndex: true });
    await insert(
      ...Array.from({ length: 6_000 }, (_, index) => job(index, `partition ${index}`, before(6_000 - index))),
    );
    const [looked] = await profile(async () => {
      const partitions = await claims.duePartitions(now, 10_000);
      expect(partitions.map(({ partition }) => partition)).toEqual(
        Array.from({ length: 5_000 }, (_, index) => `partition ${index}`),
      );
    });
    expect(looked?.keysExamined).toBeLessThanOrEqual(5_001);
  });

  test('are found in proportion to what is due, by the time index: ten of 100 000', async () => {
    claims = createClaims(store, jobCollection, DUE_PATH, { hasTimeIndex: true });
    const number = { $toString: '$number' };
    const at = { $cond: [{ $lt: ['$number', 10] }, before(1), after(1)] };
    const work = { due: { lane: { $concat: ['partition ', number] }, at, claim: { $literal: null } } };
    await store.db
      .aggregate([
        { $documents: [{ number: { $range: [0, 100_000] } }] },
        { $unwind: '$number' },
        { $project: { _id: '$number', runs: { $literal: [] }, work } },
        { $merge: { into: jobCollection.name } },
      ])
      .toArray();
    const [looked] = await profile(async () =>
      expect(await claims.duePartitions(now, 1_000)).toHaveLength(10),
    );
    expect(looked).toMatchObject({ docsExamined: 0 });
    expect(looked?.keysExamined).toBeLessThanOrEqual(11);
  });
});

describe('a claim', () => {
  test('takes what is due in its partition, the longest overdue first, up to its limit', async () => {
    await insert(job(1, 'a', before(1)), job(2, 'a', now), job(3, 'a', before(2)), job(4, 'b', before(3)));
    await insert(job(5, 'a', after(1)));
    expect(ids(await claims.claim('a', { now, until, limit: 2 }))).toEqual([1, 3]);
    const [rest] = await claimAll();
    expect(rest).toMatchObject({ document: { _id: 2 }, partition: 'a', since: now });
    expect(await dueOf(2)).toMatchObject({ lane: 'a', at: until });
  });

  test('of several partitions takes of each what is due first, up to its limit, whatever the others have', async () => {
    await insert(...Array.from({ length: 1_000 }, (_, index) => job(index, 'a', before(1_000 - index))));
    await insert(job(1_000, 'b', before(1)), job(1_001, 'b', before(2)), job(1_002, 'c', after(1)));
    const turns = [
      { partition: 'a', limit: 3 },
      { partition: 'b', limit: 1 },
      { partition: 'c', limit: 5 },
    ];
    const [read, written, fetched] = await profile(async () => {
      const claimed = await claims.claimEach(turns, { now, until });
      expect(ids(claimed)).toEqual([0, 1, 2, 1_001]);
      expect(new Set(claimed.map(({ partition }) => partition))).toEqual(new Set(['a', 'b']));
    });
    for (const operation of [read, written, fetched]) {
      expect(operation?.planSummary).not.toContain('COLLSCAN');
      expect(operation?.keysExamined).toBeLessThan(10);
    }
  });

  test('is of one of all that try at once', async () => {
    await insert(...Array.from({ length: 50 }, (_, index) => job(index, 'a', before(index))));
    const all = await Promise.all(
      Array.from({ length: 10 }, () => claims.claim('a', { now, until, limit: 20 })),
    );
    const claimed = all.flatMap((each) => ids(each));
    expect(new Set(claimed).size).toBe(claimed.length);
    for (let more = ids(await claimAll()); more.length > 0; more = ids(await claimAll()))
      claimed.push(...more);
    expect(claimed.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  test('that expired is taken by another one, after which its holder settles and releases nothing', async () => {
    await insert(job(1, 'a', before(5)));
    const [mine] = await claimAll();
    if (mine === undefined) throw new Error('not claimed');
    expect(await claimAll('a', before(-29_999))).toEqual([]);
    const [theirs] = await claimAll('a', until);
    if (theirs === undefined) throw new Error('not claimed');
    expect(theirs.since).toEqual(before(5));
    expect(await claims.settle(mine, { at: null, set: { runs: ['mine'] } })).toBe(false);
    await claims.release([mine]);
    expect(await dueOf(1)).toMatchObject({ claim: { token: theirs.token } });
    expect(await claims.settle(theirs, { at: null, set: { runs: ['theirs'] } })).toBe(true);
    expect(await store.collection(jobCollection).findOne({ _id: 1 })).toEqual({
      _id: 1,
      runs: ['theirs'],
      work: { due: null },
    });
  });

  test('that expired and was not taken still settles', async () => {
    await insert(job(1, 'a', now));
    const [mine] = await claimAll();
    if (mine === undefined) throw new Error('not claimed');
    expect(await claims.settle(mine, { at: after(1_000) })).toBe(true);
    expect(await dueOf(1)).toEqual({ lane: 'a', at: after(1_000), claim: null });
  });

  test('that is deferred is due later, after others, and since when it first was', async () => {
    await insert(job(1, 'a', before(7)), job(2, 'a', before(1)));
    const deferred = await claims.claim('a', { now, until, limit: 1 });
    await claims.defer(deferred, after(5_000));
    expect(ids(await claimAll())).toEqual([2]);
    const [later] = await claimAll('a', after(5_000));
    expect(later).toMatchObject({ document: { _id: 1 }, since: before(7) });
  });

  test('that is released is due as before', async () => {
    await insert(job(1, 'a', before(7)));
    await claims.release(await claimAll());
    expect(await dueOf(1)).toEqual({ lane: 'a', at: before(7), claim: null });
  });
});

test('no query scans the collection, nor the documents of a partition to find the partitions', async () => {
  const jobs = store.collection(jobCollection);
  const backlog = Array.from({ length: 2_000 }, (_, index) =>
    job(index, index % 2 === 0 ? 'a' : 'b', before(index)),
  );
  await jobs.insertMany(backlog);
  const entries = await profile(async () => {
    await claims.duePartitions(now, 10);
    const [first, second, third] = await claims.claim('a', { now, until, limit: 3 });
    if (first === undefined || second === undefined || third === undefined) throw new Error('not claimed');
    await claims.settle(first, { at: now });
    await claims.release([second]);
    await claims.defer([third], after(1));
  });
  expect(entries).toHaveLength(7);
  expect(entries.filter(({ planSummary }) => planSummary?.includes('COLLSCAN'))).toEqual([]);
  expect(entries.find(({ planSummary }) => planSummary?.includes('DISTINCT_SCAN'))).toBeDefined();
  for (const { keysExamined = 0, docsExamined = 0 } of entries) {
    expect(keysExamined).toBeLessThan(10);
    expect(docsExamined).toBeLessThan(10);
  }
});
