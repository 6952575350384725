import { ManualClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { monitoredStore } from '@fairlead/service-kit/testing/monitored-store';
import type { MonitoredStore } from '@fairlead/service-kit/testing/monitored-store';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { UNSETTLED_OUTCOME } from '../domain/execution.ts';
import { createHistoryIds } from '../domain/history-id.ts';
import type { HistoryIds } from '../domain/history-id.ts';
import { executionRecord } from '../testing/executions.ts';
import { createExecutionWriter } from './execution-writer.ts';
import { executionCollection } from './execution.collection.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const ctx = testContext();
const COUNT = 60;

let store: MongoStore & { drop(): Promise<void> };
let monitored: MonitoredStore;
let accounts = 0;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [executionCollection]);
  monitored = await monitoredStore(inject('mongodbUri'), store.db.databaseName);
});
afterAll(async () => {
  await monitored.close();
  await store.drop();
});

/** The writer of one replica, and the rows of a new account. */
function replica(ids: HistoryIds = createHistoryIds(Math.random)) {
  const accountId = `acc_${(accounts += 1)}`;
  const clock = new ManualClock(NOW);
  // The ids of these tests are no times.
  const counts = { isLate: () => false, writeLate: () => Promise.reject(new Error('No row is late.')) };
  return {
    accountId,
    writer: createExecutionWriter({ store: monitored, ids, clock, counts }),
    rows: () => store.collection(executionCollection).find({ accountId }).sort({ _id: 1 }).toArray(),
  };
}

const numbers = Array.from({ length: COUNT }, (_, index) => index);
const recordOf = (number: number) => executionRecord({ fields: { number } });
const unsettled = { ...executionRecord(), outcome: UNSETTLED_OUTCOME };

test('many rows at once are begun and completed with few writes, each with its own content', async () => {
  const { writer, accountId, rows } = replica();
  monitored.takeSent(executionCollection.name);
  const ids = await Promise.all(numbers.map(() => writer.insert(ctx, accountId, unsettled, false)));
  await Promise.all(ids.map((id, index) => writer.settle(accountId, id, recordOf(index))));
  const sent = monitored.takeSent(executionCollection.name);
  expect(new Set(ids).size).toBe(COUNT);
  const stored = new Map((await rows()).map(({ _id, fields, isSettled }) => [_id, { fields, isSettled }]));
  const expected = ids.map((id, index) => [
    id,
    { fields: JSON.stringify({ number: index }), isSettled: true },
  ]);
  expect(stored).toEqual(new Map(expected as [number, object][]));
  expect(new Set(sent)).toEqual(new Set(['insert', 'update']));
  expect(sent.length).toBeLessThan(COUNT / 4);
});

test('rows whose ids another replica has taken get others, and those beside them keep theirs', async () => {
  const taken = [100, 101, 102];
  const one = replica({ next: () => taken.shift() ?? 999 });
  const first = [...taken];
  expect(await Promise.all(first.map(() => one.writer.insert(ctx, one.accountId, unsettled, false)))).toEqual(
    first,
  );
  const offered = [99, 100, 103, 101, 104, 102, 105];
  const other = replica({ next: () => offered.shift() ?? 1_000 });
  const ids = await Promise.all(
    numbers.slice(0, 4).map(() => other.writer.insert(ctx, other.accountId, unsettled, true)),
  );
  expect(ids).toEqual([99, 104, 103, 105]);
  expect((await other.rows()).map(({ _id }) => _id)).toEqual([99, 103, 104, 105]);
});

test('a row that cannot be written and one that is not there fail alone', async () => {
  const { writer, accountId, rows } = replica();
  const huge = executionRecord({ fields: { text: 'x'.repeat(17 * 1024 * 1024) } });
  // The first goes alone; the others share a batch.
  const inserted = await Promise.allSettled(
    [unsettled, unsettled, huge, unsettled].map((each) => writer.insert(ctx, accountId, each, false)),
  );
  expect(inserted.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  const [first, ...others] = (await rows()).map(({ _id }) => _id);
  const ids = [first ?? 0, others[0] ?? 0, 1, others[1] ?? 0];
  const settled = await Promise.allSettled(ids.map((id) => writer.settle(accountId, id, recordOf(id))));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect((await rows()).map(({ isSettled }) => isSettled)).toEqual([true, true, true]);
});

test('a begun call that is cancelled leaves the queue; what has ended is written whoever waits for it', async () => {
  const { writer, accountId, rows } = replica();
  const gone = new AbortController();
  const leaving = { ...ctx, signal: gone.signal };
  const first = writer.insert(ctx, accountId, recordOf(1), true);
  const cancelled = writer.insert(leaving, accountId, unsettled, false);
  const ended = writer.insert(leaving, accountId, recordOf(2), true);
  gone.abort(new Error('gone'));
  await expect(cancelled).rejects.toThrow('gone');
  expect((await rows()).length).toBeLessThanOrEqual(1);
  await writer.drain();
  const stored = await rows();
  expect(stored.map(({ _id }) => _id)).toEqual([await first, await ended]);
});
