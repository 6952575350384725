import { ManualClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { UNSETTLED_OUTCOME } from '../domain/execution.ts';
import { createHistoryIds, firstIdOf } from '../domain/history-id.ts';
import type { HistoryIds } from '../domain/history-id.ts';
import { executionRecord } from '../testing/executions.ts';
import { historyCollections, historyStorage } from '../testing/history-storage.ts';
import { executionIntentCollection } from './execution-intent.collection.ts';
import { executionCollection } from './execution.collection.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const MINUTE = 60_000;
const ctx = testContext();
const begun = { ...executionRecord(), outcome: UNSETTLED_OUTCOME };

let store: MongoStore & { drop(): Promise<void> };
let accounts = 0;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), historyCollections);
});
afterAll(() => store.drop());

/** A new account, and its history in two replicas. */
function world(...ids: [HistoryIds, HistoryIds] | []) {
  const accountId = `acc_${(accounts += 1)}`;
  // A time of its own, so that no other test uses the ids.
  const clock = new ManualClock(new Date(NOW.getTime() + accounts * MINUTE));
  const [one, other] = [0.1, 0.6].map((start, index) => {
    const own = ids[index] ?? createHistoryIds(() => start);
    const { repository, intents } = historyStorage({ store, ids: own, clock });
    return { ...repository, show: () => intents.show({}, accountId) };
  });
  if (one === undefined || other === undefined) throw new Error('A replica is missing.');
  return {
    accountId,
    clock,
    one,
    other,
    listed: async () => {
      const query = { filter: { from: new Date(0) }, page: { offset: 0, top: 100 } };
      const { items, totalCount } = await other.list(ctx, accountId, query);
      expect(items).toHaveLength(totalCount);
      return items.map(({ historyId, outcome }) => [historyId, outcome.isSuccess]);
    },
    documents: () => store.collection(executionIntentCollection).find({ accountId }).toArray(),
  };
}

test('whoever reads the history while a call runs finds its row, which its end completes', async () => {
  const { one, accountId, listed } = world();
  const historyId = await one.begin(ctx, accountId, begun);
  expect(await listed()).toEqual([[historyId, false]]);
  expect(await listed()).toEqual([[historyId, false]]);
  expect(await one.settle(accountId, historyId, executionRecord())).toBe(historyId);
  expect(await listed()).toEqual([[historyId, true]]);
});

test('the calls of a process that died are rows for every reader: of a page, of one row, of days', async () => {
  const { one, other, accountId, clock, listed } = world();
  const ids = await Promise.all([1, 2, 3].map(() => one.begin(ctx, accountId, begun)));
  const [first = 0, second = 0] = ids;
  await one.settle(accountId, first, executionRecord());
  const period = { from: new Date(0), to: new Date(NOW.getTime() + 365 * 24 * 60 * MINUTE) };
  expect(await other.find(ctx, accountId, { historyId: second, since: new Date(0) })).toMatchObject({
    outcome: UNSETTLED_OUTCOME,
  });
  expect(await other.countByDay(ctx, accountId, period)).toMatchObject([{ executionCount: 3 }]);
  clock.advance(24 * 60 * MINUTE);
  const rows = ids.map((id) => [id, id === first]).toSorted(([a], [b]) => Number(b) - Number(a));
  expect(await listed()).toEqual(rows);
});

test('a refused call leaves no row, whether or not a reader has seen it', async () => {
  const { one, accountId, listed, documents } = world();
  const [first = 0, second = 0] = await Promise.all([1, 2].map(() => one.begin(ctx, accountId, begun)));
  await one.remove(accountId, first);
  expect(await listed()).toEqual([[second, false]]);
  await one.remove(accountId, second);
  expect(await listed()).toEqual([]);
  await one.drain();
  // Reads use majority concern and see the removal a little later.
  await expect.poll(documents).toEqual([]);
});

test('a call that ends while readers look for it has one row', async () => {
  const { one, other, accountId, listed } = world();
  const ended: [number, boolean][] = [];
  for (let round = 0; round < 10; round += 1) {
    const ids = await Promise.all([1, 2, 3, 4].map(() => one.begin(ctx, accountId, begun)));
    const [results] = await Promise.all([
      Promise.all(ids.map((id) => one.settle(accountId, id, executionRecord()))),
      other.show(),
      one.show(),
    ]);
    ended.push(...results.map((id): [number, boolean] => [id, true]));
  }
  expect(await listed()).toEqual(ended.toSorted(([a], [b]) => b - a));
});

const idsFrom = (next: number): HistoryIds => ({ next: () => (next += 1) });
/** Ids that no other test uses. */
const freeId = (test: number): number => firstIdOf(new Date(NOW.getTime() - MINUTE)) + 100 * test;

test.each([false, true])(
  'a call whose id another replica has given to another one gets a row of its own (seen while it runs: %s)',
  async (isShown) => {
    const first = freeId(isShown ? 0 : 1);
    const { one, other, accountId, listed } = world(idsFrom(first), idsFrom(first));
    const historyId = await one.begin(ctx, accountId, begun);
    const taken = await other.insert(ctx, 'acc_other', executionRecord(), true);
    expect(taken).toBe(historyId);
    expect(isShown ? await listed() : undefined).toEqual(isShown ? [[historyId + 1, false]] : undefined);
    const endedAs = await one.settle(accountId, historyId, executionRecord());
    expect(endedAs).toBe(historyId + 1);
    expect(await listed()).toEqual([[endedAs, true]]);
  },
);

test('running calls of two replicas with one id are shown with one each, which they keep', async () => {
  const first = freeId(2);
  const { one, other, accountId, listed } = world(idsFrom(first), idsFrom(first + 1));
  const ids = await Promise.all([1, 2].map(() => one.begin(ctx, accountId, begun)));
  const same = await other.begin(ctx, accountId, begun);
  expect(ids).toEqual([same - 1, same]);
  const shown = await listed();
  expect(new Set(shown.map(([id]) => id)).size).toBe(3);
  const ended = await Promise.all([
    ...ids.map((id) => one.settle(accountId, id, executionRecord())),
    other.settle(accountId, same, executionRecord()),
  ]);
  expect(ended.toSorted((a, b) => b - a)).toEqual(shown.map(([id]) => id));
  expect(await listed()).toEqual(shown.map(([id]) => [id, true]));
});

test('a call is shown although its next id is taken as well', async () => {
  const first = freeId(3);
  const { one, other, accountId, listed } = world(idsFrom(first), idsFrom(first));
  const third = world(idsFrom(first), idsFrom(first));
  const historyId = await one.begin(ctx, accountId, begun);
  const taken = [1, 2].map(() => third.one.insert(ctx, third.accountId, executionRecord(), true));
  expect(await Promise.all(taken)).toEqual([historyId, historyId + 1]);
  await other.show();
  expect(await listed()).toEqual([[historyId + 2, false]]);
  expect(await one.settle(accountId, historyId, executionRecord())).toBe(historyId + 2);
});

test.each([false, true])(
  'a refused call leaves the row alone that has its id now (seen before: %s)',
  async (isShown) => {
    const first = freeId(isShown ? 4 : 5);
    const { one, other, accountId, listed } = world(idsFrom(first), idsFrom(first));
    const historyId = await one.begin(ctx, accountId, begun);
    expect(await other.insert(ctx, accountId, executionRecord(), true)).toBe(historyId);
    const both = [
      [historyId + 1, false],
      [historyId, true],
    ];
    expect(isShown ? await listed() : undefined).toEqual(isShown ? both : undefined);
    await one.remove(accountId, historyId);
    expect(await listed()).toEqual([[historyId, true]]);
  },
);

test('intents whose rows are all there go once they are old, if their process did not remove them', async () => {
  const { one, accountId, clock, listed, documents } = world();
  const historyId = await one.begin(ctx, accountId, begun);
  const document = (await documents())[0];
  await one.settle(accountId, historyId, executionRecord());
  await one.drain();
  await expect.poll(documents).toEqual([]);
  if (document === undefined) throw new Error('Nothing has begun.');
  await store.collection(executionIntentCollection).insertOne(document);
  expect(await listed()).toEqual([[historyId, true]]);
  expect(await documents()).toHaveLength(1);
  clock.advance(11 * MINUTE);
  expect(await listed()).toEqual([[historyId, true]]);
  expect(await documents()).toEqual([]);
  expect(await store.collection(executionCollection).countDocuments({ accountId })).toBe(1);
});
