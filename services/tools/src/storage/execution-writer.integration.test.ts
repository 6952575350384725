import { ManualClock } from '@fairlead/service-kit/clock';
import { databaseFailure } from '@fairlead/service-kit/mongo/database-errors';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { monitoredStore } from '@fairlead/service-kit/testing/monitored-store';
import type { MonitoredStore } from '@fairlead/service-kit/testing/monitored-store';
import { openLink } from '@fairlead/service-kit/testing/network';
import { systemTimers } from '@fairlead/service-kit/timers';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { UNSETTLED_OUTCOME } from '../domain/execution.ts';
import { createHistoryIds } from '../domain/history-id.ts';
import type { HistoryIds } from '../domain/history-id.ts';
import { executionRecord } from '../testing/executions.ts';
import { executionIntentCollection } from './execution-intent.collection.ts';
import { createExecutionIntents } from './execution-intents.ts';
import { createExecutionWriter } from './execution-writer.ts';
import { executionCollection } from './execution.collection.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const ctx = testContext();
const COUNT = 60;

let store: MongoStore & { drop(): Promise<void> };
let monitored: MonitoredStore;
let accounts = 0;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [executionCollection, executionIntentCollection]);
  monitored = await monitoredStore(inject('mongodbUri'), store.db.databaseName);
});
afterAll(async () => {
  await monitored.close();
  await store.drop();
});

/** The writer of one replica, and rows of a new account. */
function replica(ids: HistoryIds = createHistoryIds(Math.random), used: MongoStore = monitored) {
  const accountId = `acc_${(accounts += 1)}`;
  // A time of its own: the clock stands still, and a range of ids filled by other tests would have no free next one.
  const clock = new ManualClock(new Date(NOW.getTime() + accounts * 1_000));
  // Ids in these tests do not encode times.
  const counts = { changing: <T>(_rows: unknown, write: () => Promise<T>) => write() };
  const parts = { store: used, ids, clock, counts };
  const { log } = captureLog('silent');
  const intents = createExecutionIntents({ ...parts, timers: systemTimers, log });
  return {
    accountId,
    intents,
    writer: createExecutionWriter({ ...parts, intents }),
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

test('calls that begin at once share a document, each has its row once it ends, and then the document goes', async () => {
  const { writer, accountId, rows } = replica();
  monitored.takeSent(executionIntentCollection.name);
  const ids = await Promise.all(numbers.map(() => writer.begin(ctx, accountId, unsettled)));
  const begins = monitored.takeSent(executionIntentCollection.name);
  expect(new Set(begins)).toEqual(new Set(['insert']));
  expect(begins.length).toBeLessThan(COUNT / 4);
  const intents = store.collection(executionIntentCollection).find({ accountId });
  const held = (await intents.toArray()).flatMap(({ calls }) => calls.map(({ historyId }) => historyId));
  expect(new Set(held)).toEqual(new Set(ids));
  expect(await rows()).toEqual([]);
  const ended = await Promise.all(ids.map((id, index) => writer.settle(accountId, id, recordOf(index))));
  expect(ended).toEqual(ids);
  const ends = monitored.takeSent(executionCollection.name);
  expect(new Set(ends)).toEqual(new Set(['insert']));
  expect(ends.length).toBeLessThan(COUNT / 4);
  const stored = new Map((await rows()).map(({ _id, fields, isSettled }) => [_id, { fields, isSettled }]));
  const row = (index: number) => ({ fields: JSON.stringify({ number: index }), isSettled: true });
  expect(stored).toEqual(new Map(ids.map((id, index) => [id, row(index)])));
  await writer.drain();
  // Reads see it once it has majority, for which the removal does not wait.
  const documents = () => store.collection(executionIntentCollection).countDocuments({ accountId });
  await expect.poll(documents).toBe(0);
});

test('whoever reads the history makes rows of all running calls with one transaction, however many documents they began in', async () => {
  const { writer, intents, accountId, rows } = replica();
  const ids: number[] = [];
  for (const _ of numbers.slice(0, 20)) ids.push(await writer.begin(ctx, accountId, unsettled));
  const of = store.collection(executionIntentCollection);
  expect(await of.countDocuments({ accountId })).toBe(ids.length);
  monitored.takeSent(executionIntentCollection.name);
  await intents.show({}, accountId);
  expect(monitored.takeSent(executionIntentCollection.name)).toEqual(['find', 'find', 'update']);
  expect((await rows()).map(({ _id }) => _id)).toEqual(ids);
  expect(await Promise.all(ids.map((id) => writer.settle(accountId, id, recordOf(1))))).toEqual(ids);
  expect((await rows()).map(({ _id, isSettled }) => [_id, isSettled])).toEqual(ids.map((id) => [id, true]));
});

test('calls that a reader was shown end together, by two writes however many they are', async () => {
  const { writer, intents, accountId, rows } = replica();
  const ids = await Promise.all(numbers.map(() => writer.begin(ctx, accountId, unsettled)));
  await intents.show({}, accountId);
  monitored.takeSent(executionCollection.name);
  expect(await Promise.all(ids.map((id, index) => writer.settle(accountId, id, recordOf(index))))).toEqual(
    ids,
  );
  const sent = monitored.takeSent(executionCollection.name);
  expect(new Set(sent)).toEqual(new Set(['insert', 'update']));
  expect(sent.length).toBeLessThan(COUNT / 4);
  const stored = new Map((await rows()).map(({ _id, fields, isSettled }) => [_id, { fields, isSettled }]));
  const row = (index: number) => ({ fields: JSON.stringify({ number: index }), isSettled: true });
  expect(stored).toEqual(new Map(ids.map((id, index) => [id, row(index)])));
});

/** A replica with calls whose ids another one has used for other calls; `alone` counts the transactions that end them. */
async function strays(count: number, first: number) {
  const alone = { running: 0, most: 0, all: 0, gate: Promise.resolve() };
  const used: MongoStore = {
    ...monitored,
    async withTransaction(f) {
      alone.running += 1;
      alone.all += 1;
      alone.most = Math.max(alone.most, alone.running);
      await alone.gate;
      return await monitored.withTransaction(f).finally(() => (alone.running -= 1));
    },
  };
  const next = (from: number): HistoryIds => ({ next: () => (from += 1) });
  const [one, other] = [replica(next(first), used), replica(next(first))];
  const ids = await Promise.all(
    numbers.slice(0, count).map(() => one.writer.begin(ctx, one.accountId, unsettled)),
  );
  for (const _ of ids) await other.writer.insert(ctx, other.accountId, unsettled, true);
  return { ...one, other, ids, alone };
}

test.each([false, true])(
  'calls whose ids others have now end a few at a time, each with a row of its own (seen before: %s)',
  async (isShown) => {
    const first = isShown ? 2_000 : 3_000;
    const { writer, intents, accountId, rows, other, ids, alone } = await strays(20, first);
    if (isShown) await intents.show({}, accountId);
    Object.assign(alone, { most: 0, all: 0 });
    const ended = await Promise.all(ids.map((id, index) => writer.settle(accountId, id, recordOf(index))));
    expect(new Set([...ids, ...ended]).size).toBe(2 * ids.length);
    expect(alone).toMatchObject({ most: 4, all: ids.length });
    const stored = new Map((await rows()).map(({ _id, fields, isSettled }) => [_id, { fields, isSettled }]));
    const row = (index: number) => ({ fields: JSON.stringify({ number: index }), isSettled: true });
    expect(stored).toEqual(new Map(ended.map((id, index) => [id, row(index)])));
    // The rows with these ids are unchanged.
    expect((await other.rows()).map(({ fields }) => fields)).toEqual(
      ids.map(() => JSON.stringify(unsettled.fields)),
    );
  },
);

test('rows of other accounts do not wait for ends that are written alone; a stop does', async () => {
  const { writer, accountId, rows, ids, alone } = await strays(6, 4_000);
  const gate = Promise.withResolvers<void>();
  alone.gate = gate.promise;
  const ends = Promise.all(ids.map((id) => writer.settle(accountId, id, recordOf(1))));
  await expect.poll(() => alone.running).toBe(4);
  await writer.insert(ctx, 'acc_neighbour', recordOf(2), true);
  let isDrained = false;
  const drained = writer.drain().then(() => (isDrained = true));
  await writer.insert(ctx, 'acc_neighbour', recordOf(3), true);
  expect([isDrained, await rows()]).toEqual([false, []]);
  gate.resolve();
  await drained;
  expect((await rows()).map(({ isSettled }) => isSettled)).toEqual(ids.map(() => true));
  await ends;
});

test('what begins and what ends at once is sent at once', async () => {
  const { writer, accountId, rows } = replica();
  const ids = await Promise.all(numbers.map(() => writer.insert(ctx, accountId, unsettled, false)));
  monitored.takeSent(executionCollection.name);
  await Promise.all(
    ids.flatMap((id, index) => [
      writer.settle(accountId, id, recordOf(index)),
      writer.insert(ctx, accountId, unsettled, false),
    ]),
  );
  expect(monitored.takeSent(executionCollection.name).toSorted()).toEqual(['insert', 'update']);
  expect((await rows()).map(({ isSettled }) => isSettled)).toEqual(
    [...numbers, ...numbers].map((_, index) => index < COUNT),
  );
});

/** A replica with a breakable path to the database, which waits this long for it. */
async function linkedReplica(waitMs: number) {
  const uri = new URL(inject('mongodbUri'));
  const link = await openLink(Number(uri.port));
  onTestFinished(() => link.close());
  uri.host = `${link.host}:${link.port}`;
  uri.searchParams.delete('replicaSet');
  uri.searchParams.set('directConnection', 'true');
  uri.searchParams.set('serverSelectionTimeoutMS', String(waitMs));
  const linked = await monitoredStore(uri.href, store.db.databaseName);
  onTestFinished(() => linked.close());
  return { link, linked, ...replica(undefined, linked) };
}

test('an end is written although the connection breaks meanwhile', async () => {
  const { link, linked, writer, accountId, rows } = await linkedReplica(60_000);
  const id = await writer.insert(ctx, accountId, unsettled, false);
  linked.takeSent(executionCollection.name);
  await link.set({ kind: 'blackHole' });
  const settling = writer.settle(accountId, id, recordOf(1));
  await vi.waitFor(() => expect(linked.takeSent(executionCollection.name)).toEqual(['update']), {
    timeout: 90_000,
  });
  await link.set({ kind: 'refuse' });
  await link.set({ kind: 'pass' });
  await settling;
  expect(linked.takeSent(executionCollection.name)).toEqual(['update']);
  expect(await rows()).toMatchObject([{ _id: id, isSettled: true }]);
});

test('nothing counts as written while the database is away, and the error says why', async () => {
  const { link, writer, accountId, rows } = await linkedReplica(2_000);
  const id = await writer.insert(ctx, accountId, unsettled, false);
  await link.set({ kind: 'refuse' });
  const failures = await Promise.allSettled([
    writer.insert(ctx, accountId, unsettled, false),
    writer.insert(ctx, accountId, recordOf(1), true),
    writer.settle(accountId, id, recordOf(2)),
  ]);
  expect(failures.map((each) => each.status === 'rejected' && databaseFailure(each.reason))).toEqual(
    failures.map(() => 'unavailable'),
  );
  expect(await rows()).toMatchObject([{ _id: id, isSettled: false }]);
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
  // The first is alone; the others share a batch.
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
  await writer.drain();
  const stored = await rows();
  expect(stored.map(({ _id }) => _id)).toEqual([await first, await ended]);
});
