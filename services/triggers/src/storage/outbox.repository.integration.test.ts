import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { monitoredStore } from '@fairlead/service-kit/testing/monitored-store';
import type { MonitoredStore } from '@fairlead/service-kit/testing/monitored-store';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { CapturedEvent } from '../domain/event.ts';
import { capturedEvent } from '../testing/firings.ts';
import { eventDayCollection } from './event-day.collection.ts';
import { outboxCollection } from './outbox.collection.ts';
import { recheckConfirmed } from './restored-outbox.ts';
import { createOutboxRepository } from './outbox.repository.ts';
import type { OutboxRepository } from './outbox.repository.ts';

const NOW = new Date('2026-11-22T10:00:10.000Z');
const UNTIL = new Date('2026-11-22T10:00:08.000Z');

let store: MongoStore & { drop(): Promise<void> };
let monitored: MonitoredStore;
let outbox: OutboxRepository;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [outboxCollection, eventDayCollection]);
  monitored = await monitoredStore(inject('mongodbUri'), store.db.databaseName);
  outbox = createOutboxRepository(monitored);
});
beforeEach(async () => {
  await store.collection(outboxCollection).deleteMany({});
});
afterAll(async () => {
  await monitored.close();
  await store.drop();
});

const rows = () => store.collection(outboxCollection).find().sort({ _id: 1 }).toArray();
async function pendingIds(): Promise<readonly (readonly string[])[]> {
  const ids: (readonly string[])[] = [];
  for await (const page of outbox.pending(NOW, UNTIL)) ids.push(...page.map(({ eventIds }) => eventIds));
  return ids;
}

test('a firing that is captured 100 times at once is one event, whichever call came first', async () => {
  const events = Array.from({ length: 100 }, (_, at) => capturedEvent(`te_${at}`, { firingKey: 'same' }));
  const results = (await Promise.all(events.map((event) => outbox.insert([event])))).flat();
  const values = results.map((result) => (result.status === 'done' ? result.value : undefined));
  expect(values.filter((value) => value?.isNew)).toHaveLength(1);
  expect(new Set(values.map((value) => value?.id)).size).toBe(1);
  expect((await rows()).map(({ _id }) => _id)).toEqual([values[0]?.id]);
});

test('a key is its trigger’s own; each event of a batch has its own result', async () => {
  await outbox.insert([capturedEvent('te_1', { firingKey: 'a' })]);
  monitored.takeSent(outboxCollection.name);
  const results = await outbox.insert([
    capturedEvent('te_2', { firingKey: 'a' }),
    capturedEvent('te_3', { firingKey: 'a', triggerId: 'trg_2' }),
    capturedEvent('te_4', { firingKey: 'b' }),
    capturedEvent('te_5', { firingKey: 'b' }),
  ]);
  expect(results.map((result) => result.status === 'done' && result.value)).toEqual([
    { id: 'te_1', isNew: false },
    { id: 'te_3', isNew: true },
    { id: 'te_4', isNew: true },
    { id: 'te_4', isNew: false },
  ]);
  expect(monitored.takeSent(outboxCollection.name)).toEqual(['insert', 'find', 'insert']);
  expect((await rows()).map(({ eventIds }) => eventIds)).toEqual([['te_1'], ['te_3', 'te_4']]);
});

test('events of an account share a document, at most 64 or 256 KiB of them; a firing that is known concerns its own account', async () => {
  await outbox.insert([capturedEvent('te_known', { firingKey: 'a' })]);
  monitored.takeSent(outboxCollection.name);
  const large = { payload: Buffer.from(JSON.stringify('x'.repeat(200_000))) };
  const results = await outbox.insert([
    ...Array.from({ length: 70 }, (_, at) => capturedEvent(`te_${at + 10}`)),
    capturedEvent('te_a', { firingKey: 'a' }),
    capturedEvent('te_large_1', large),
    capturedEvent('te_large_2', large),
    capturedEvent('te_other', { accountId: 'acc_2', firingKey: 'a' }),
  ]);
  expect(results.filter((result) => result.status === 'done' && result.value.isNew)).toHaveLength(73);
  expect(results[70]).toEqual({ status: 'done', value: { id: 'te_known', isNew: false } });
  const documents = await rows();
  expect(documents.map(({ _id, eventIds }) => [_id, eventIds.length])).toEqual([
    ['te_10', 64],
    ['te_74', 7],
    ['te_known', 1],
    ['te_large_2', 1],
    ['te_other', 1],
  ]);
  expect(documents.map(({ accountId }) => accountId)).toEqual(['acc_1', 'acc_1', 'acc_1', 'acc_1', 'acc_2']);
});

test('batches that share firings and race store each firing once, and each call gets the event of each', async () => {
  const batch = (caller: number) =>
    Array.from({ length: 20 }, (_, at) =>
      capturedEvent(`te_${caller}_${at}`, { firingKey: `k${(at * 7 + caller) % 25}` }),
    );
  const batches = Array.from({ length: 10 }, (_, caller) => batch(caller));
  const results = await Promise.all(batches.map((events) => outbox.insert(events)));
  const ids = new Map<string, Set<string>>();
  for (const [caller, events] of batches.entries())
    for (const [at, { firingKey }] of events.entries()) {
      const result = results[caller]?.[at];
      const known = ids.get(firingKey) ?? new Set();
      ids.set(firingKey, known.add(result?.status === 'done' ? result.value.id : 'failed'));
    }
  expect([...ids.values()].map(({ size }) => size)).toEqual(Array.from({ length: 25 }, () => 1));
  const stored = (await rows()).flatMap(({ eventIds }) => eventIds);
  expect(stored.toSorted()).toEqual([...ids.values()].flatMap((of) => [...of]).toSorted());
  const news = results.flat().filter((result) => result.status === 'done' && result.value.isNew);
  expect(news).toHaveLength(25);
});

test('events are read as they were captured, until they are confirmed; then only the keys stay, for a day', async () => {
  const event = capturedEvent('te_1', { payload: Buffer.from('{"n":12345678901234567890}') });
  const other = capturedEvent('te_2', { triggerId: 'trg_2' });
  await outbox.insert([event, other]);
  await outbox.insert([capturedEvent('te_3')]);
  const read = await outbox.read(['te_1']);
  expect(read).toEqual([event, other].map((each, at) => ({ ...each, body: read[at]?.body })));
  expect(read.map(({ body }) => Buffer.from(body).equals(event.body))).toEqual([true, false]);
  await outbox.confirm(['te_1'], NOW);
  expect(await outbox.read(['te_1', 'te_3'])).toMatchObject([{ id: 'te_3' }]);
  const [confirmed] = await rows();
  expect(confirmed).not.toHaveProperty('events');
  expect(confirmed?.expireAt).toEqual(new Date('2026-11-23T10:00:10.000Z'));
  const [again] = await outbox.insert([capturedEvent('te_4', { firingKey: 'te_2', triggerId: 'trg_2' })]);
  expect(again).toEqual({ status: 'done', value: { id: 'te_2', isNew: false } });
  await outbox.confirm(['te_1'], new Date('2026-11-24T00:00:00.000Z'));
  expect((await rows())[0]?.expireAt).toEqual(confirmed?.expireAt);
});

test('pending are those captured until then, and those of a clock that was ahead, oldest first', async () => {
  const at = (time: string) => new Date(`2026-11-22T${time}.000Z`);
  const groups: readonly (readonly CapturedEvent[])[] = [
    [
      capturedEvent('te_1a', { capturedAt: at('10:00:04') }),
      capturedEvent('te_1b', { capturedAt: at('10:00:07') }),
    ],
    [capturedEvent('te_2', { capturedAt: at('10:00:05') })],
    [
      capturedEvent('te_3a', { capturedAt: at('10:00:05') }),
      capturedEvent('te_3b', { capturedAt: at('10:00:09') }),
    ],
    [capturedEvent('te_4', { capturedAt: at('11:00:00') })],
    [capturedEvent('te_5', { capturedAt: at('10:00:06') })],
  ];
  for (const group of groups) await outbox.insert(group);
  await outbox.confirm(['te_5'], NOW);
  expect(await pendingIds()).toEqual([['te_2'], ['te_1a', 'te_1b'], ['te_4']]);
  expect(await outbox.oldestPending()).toEqual(at('10:00:05'));
});

test('in a transaction, events are captured if it commits, and one that is captured already is named', async () => {
  await outbox.insert([capturedEvent('te_1', { firingKey: 'a' })]);
  const events = [
    capturedEvent('te_2', { firingKey: 'a' }),
    capturedEvent('te_3', { firingKey: 'b' }),
    capturedEvent('te_4', { firingKey: 'b' }),
  ];
  const expected = [
    { id: 'te_1', isNew: false },
    { id: 'te_3', isNew: true },
    { id: 'te_3', isNew: false },
  ];
  const aborted = monitored.withTransaction(async (session) => {
    expect(await outbox.insertIn(session, events)).toEqual(expected);
    throw new Error('the claim is gone');
  });
  await expect(aborted).rejects.toThrow('the claim is gone');
  expect((await rows()).map(({ _id }) => _id)).toEqual(['te_1']);
  expect(await monitored.withTransaction((session) => outbox.insertIn(session, events))).toEqual(expected);
  expect((await rows()).map(({ _id }) => _id)).toEqual(['te_1', 'te_3']);
  const raced = await Promise.all(
    ['te_5', 'te_6'].map((id) =>
      monitored.withTransaction((session) =>
        outbox.insertIn(session, [capturedEvent(id, { firingKey: 'c' })]),
      ),
    ),
  );
  expect(raced.flat().filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(new Set(raced.flat().map(({ id }) => id)).size).toBe(1);
});

test('every query is served by an index, and looks at nothing that is confirmed', async () => {
  const done = Array.from({ length: 50 }, (_, at) => `te_done_${at}`);
  for (const id of [...done, 'te_open']) await outbox.insert([capturedEvent(id)]);
  await outbox.confirm(done, NOW);
  const collection = store.collection(outboxCollection);
  const future = new Date(NOW.getTime() + 60_000);
  const queries = [
    collection
      .find({ $or: [{ pendingSince: { $lte: UNTIL } }, { pendingSince: { $gt: future } }] })
      .sort({ pendingSince: 1, _id: 1 })
      .project({ _id: 1, eventIds: 1 }),
    collection
      .find({ pendingSince: { $exists: true } })
      .sort({ pendingSince: 1, _id: 1 })
      .limit(1),
    collection.find({ _id: { $in: ['te_open'] }, pendingSince: { $exists: true } }),
    collection.find({ $or: [{ accountId: 'acc_1', firings: { $in: ['trg_1 te_open'] } }] }),
  ];
  for (const query of queries) {
    const plan = await query.explain('executionStats');
    const { executionStats } = plan as { executionStats: { nReturned: number; totalKeysExamined: number } };
    expect(JSON.stringify(plan)).not.toContain('COLLSCAN');
    expect(executionStats.nReturned).toBe(1);
    expect(executionStats.totalKeysExamined).toBeLessThanOrEqual(4);
  }
});

test('after a restore confirmed events are asked about again, once, and are not counted again', async () => {
  await outbox.insert([capturedEvent('te_1'), capturedEvent('te_2')]);
  await outbox.confirm(['te_1'], NOW);
  await outbox.insert([capturedEvent('te_3')]);
  const days = () => store.collection(eventDayCollection).find().toArray();
  const counted = await days();
  expect(await recheckConfirmed(store.db, UNTIL)).toBe(1);
  expect(await pendingIds()).toEqual([['te_3'], ['te_1', 'te_2']]);
  expect(await outbox.read(['te_1'])).toEqual([]);
  await outbox.confirm(['te_1'], NOW);
  expect(await pendingIds()).toEqual([['te_3']]);
  expect(await days()).toEqual(counted);
});
