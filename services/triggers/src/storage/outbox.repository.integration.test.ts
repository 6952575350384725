import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { monitoredStore } from '@fairlead/service-kit/testing/monitored-store';
import type { MonitoredStore } from '@fairlead/service-kit/testing/monitored-store';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { capturedEvent } from '../testing/firings.ts';
import { outboxCollection } from './outbox.collection.ts';
import { createOutboxRepository } from './outbox.repository.ts';
import type { OutboxRepository } from './outbox.repository.ts';

const NOW = new Date('2026-11-22T10:00:10.000Z');
const UNTIL = new Date('2026-11-22T10:00:08.000Z');

let store: MongoStore & { drop(): Promise<void> };
let monitored: MonitoredStore;
let outbox: OutboxRepository;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [outboxCollection]);
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
async function pendingIds(): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const page of outbox.pending(NOW, UNTIL)) ids.push(...page);
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

test('a key is its trigger’s own; a batch is one write, and each event has its own result', async () => {
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
  expect(monitored.takeSent(outboxCollection.name)).toEqual(['insert', 'find']);
});

test('events are read as they were captured, until they are confirmed; then only the key stays, for a day', async () => {
  const event = capturedEvent('te_1', { payload: Buffer.from('{"n":12345678901234567890}') });
  await outbox.insert([event, capturedEvent('te_2')]);
  const [read] = await outbox.read(['te_1']);
  expect(read).toEqual({ ...event, body: read?.body });
  expect(Buffer.from(read?.body ?? []).equals(event.body)).toBe(true);
  await outbox.confirm(['te_1'], NOW);
  expect(await outbox.read(['te_1', 'te_2'])).toMatchObject([{ id: 'te_2' }]);
  const [confirmed] = await rows();
  expect(confirmed).not.toHaveProperty('body');
  expect(confirmed?.expireAt).toEqual(new Date('2026-11-23T10:00:10.000Z'));
  const [again] = await outbox.insert([capturedEvent('te_3', { firingKey: 'te_1' })]);
  expect(again).toEqual({ status: 'done', value: { id: 'te_1', isNew: false } });
  await outbox.confirm(['te_1'], new Date('2026-11-24T00:00:00.000Z'));
  expect((await rows())[0]?.expireAt).toEqual(confirmed?.expireAt);
});

test('pending are those captured until then, and those of a clock that was ahead, oldest first', async () => {
  const at = (time: string) => new Date(`2026-11-22T${time}.000Z`);
  await outbox.insert([
    capturedEvent('te_1', { capturedAt: at('10:00:07') }),
    capturedEvent('te_2', { capturedAt: at('10:00:05') }),
    capturedEvent('te_3', { capturedAt: at('10:00:09') }),
    capturedEvent('te_4', { capturedAt: at('11:00:00') }),
    capturedEvent('te_5', { capturedAt: at('10:00:06') }),
  ]);
  await outbox.confirm(['te_5'], NOW);
  expect(await pendingIds()).toEqual(['te_2', 'te_1', 'te_4']);
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
  await outbox.insert([...done.map((id) => capturedEvent(id)), capturedEvent('te_open')]);
  await outbox.confirm(done, NOW);
  const collection = store.collection(outboxCollection);
  const future = new Date(NOW.getTime() + 60_000);
  const queries = [
    collection
      .find({ $or: [{ pendingSince: { $lte: UNTIL } }, { pendingSince: { $gt: future } }] })
      .sort({ pendingSince: 1, _id: 1 })
      .project({ _id: 1 }),
    collection
      .find({ pendingSince: { $exists: true } })
      .sort({ pendingSince: 1, _id: 1 })
      .limit(1),
    collection.find({ _id: { $in: ['te_open'] }, pendingSince: { $exists: true } }),
    collection.find({ $or: [{ accountId: 'acc_1', triggerId: 'trg_1', firingKey: { $in: ['te_open'] } }] }),
  ];
  for (const query of queries) {
    const plan = await query.explain('executionStats');
    const { executionStats } = plan as { executionStats: { nReturned: number; totalKeysExamined: number } };
    expect(JSON.stringify(plan)).not.toContain('COLLSCAN');
    expect(executionStats.nReturned).toBe(1);
    expect(executionStats.totalKeysExamined).toBeLessThanOrEqual(4);
  }
});
