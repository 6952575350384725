import { ManualClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { EventFilter } from '../domain/event-filter.ts';
import { keptSince } from '../domain/event.ts';
import type { EventStore } from '../ports/event-store.ts';
import { eventStorage } from '../testing/event-storage.ts';
import { minutesAfterNoon, NOON, settledAttempt, storeDestinations, storeEvent } from '../testing/events.ts';
import { listEvents } from '../use-cases/list-events.ts';
import { eventCollection } from './event.collection.ts';
import { exportEvents } from './event-export.ts';
import { schema } from './schema.ts';

const ctx = testContext();
const since = keptSince(minutesAfterNoon(60));
let store: MongoStore & { drop(): Promise<void> };
let events: EventStore;

beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
  ({ events } = eventStorage({ store, clock: new ManualClock(minutesAfterNoon(60)) }));
});
afterAll(() => store.drop());

/** Names of events, by id. */
const names = new Map<string, string>();
async function create(name: string, o: Parameters<typeof storeEvent>[1]): Promise<string> {
  const id = await storeEvent(store, o);
  names.set(id, name);
  return id;
}
const named = (ids: readonly string[]): string => ids.map((id) => names.get(id)).join('');

async function select(
  accountId: string,
  filter: EventFilter,
  page = { offset: 0, top: 100 },
  after?: string,
): Promise<string> {
  const selection = { filter, since, after };
  const ids = await events.listIds(ctx, accountId, selection, page);
  const count = await events.count(ctx, accountId, selection);
  return `${named(ids)} of ${String(count)}`;
}

describe('the events of an account', () => {
  const ids: string[] = [];
  beforeAll(async () => {
    const at = (minutes: number) => ({ accountId: 'acc_1', capturedAt: minutesAfterNoon(minutes) });
    ids.push(
      await create('a', { ...at(0), states: { dst_1: 'delivered' } }),
      await create('b', { ...at(1), states: { dst_1: 'deadLettered' }, triggerId: 'trg_2' }),
      await create('c', { ...at(2), states: { dst_1: 'delivered', dst_2: 'deadLettered' } }),
      await create('d', { ...at(3), states: {} }),
      await create('e', { ...at(4), states: { dst_2: 'pending' } }),
      await create('f', { ...at(5), states: { dst_1: 'delivered', dst_2: 'delivered' }, triggerId: 'trg_2' }),
      // Captured late.
      await create('g', { ...at(6), states: { dst_2: 'held' }, occurredAt: minutesAfterNoon(0.5) }),
    );
    await create('x', { ...at(3), accountId: 'acc_2' });
    await create('y', { ...at(-31 * 24 * 60), states: { dst_1: 'delivered' } });
  });

  it.each<[EventFilter, string]>([
    [{}, 'gfedcba of 7'],
    [{ triggerId: 'trg_2' }, 'fb of 2'],
    [{ destinationId: 'dst_2' }, 'gfec of 4'],
    [{ triggerId: 'trg_1', destinationId: 'dst_2' }, 'gec of 3'],
    [{ delivery: 'delivered' }, 'fa of 2'],
    [{ delivery: 'deadLettered' }, 'cb of 2'],
    [{ delivery: 'pending' }, 'e of 1'],
    [{ delivery: 'held' }, 'g of 1'],
    [{ delivery: 'none' }, 'd of 1'],
    [{ delivery: 'delivered', destinationId: 'dst_2' }, 'f of 1'],
    [{ delivery: 'deadLettered', destinationId: 'dst_1' }, 'cb of 2'],
    [{ delivery: 'deadLettered', triggerId: 'trg_2' }, 'b of 1'],
    [{ delivery: 'none', destinationId: 'dst_1' }, ' of 0'],
    [{ from: minutesAfterNoon(1), to: minutesAfterNoon(4) }, 'dcb of 3'],
    [{ to: minutesAfterNoon(1) }, 'ga of 2'],
    [{ delivery: 'deadLettered', from: minutesAfterNoon(2) }, 'c of 1'],
    [{ destinationId: 'dst_2', to: minutesAfterNoon(2) }, 'g of 1'],
    [{ triggerId: 'trg_9' }, ' of 0'],
  ])('that match %j are listed newest first, and counted', async (filter, expected) => {
    expect(await select('acc_1', filter)).toBe(expected);
  });

  it('are paged by offset, and after an event', async () => {
    expect(await select('acc_1', {}, { offset: 2, top: 3 })).toBe('edc of 7');
    expect(await select('acc_1', { delivery: 'deadLettered' }, { offset: 1, top: 1 })).toBe('b of 2');
    expect(await select('acc_1', {}, { offset: 1, top: 2 }, ids[4])).toBe('cb of 4');
    expect(await select('acc_1', { delivery: 'delivered' }, { offset: 0, top: 2 }, ids[5])).toBe('a of 1');
  });

  it('exist for their account only, and for 30 days', async () => {
    const [a = ''] = ids;
    expect(await events.has(ctx, 'acc_1', a, since)).toBe(true);
    expect(await events.has(ctx, 'acc_2', a, since)).toBe(false);
    expect(await events.find(ctx, 'acc_2', a, since)).toBeUndefined();
    const day = 24 * 60;
    const kept = (minutes: number) => events.find(ctx, 'acc_1', a, keptSince(minutesAfterNoon(minutes)));
    expect((await kept(30 * day))?.event.id).toBe(a);
    expect(await kept(30 * day + 1 / 60)).toBeUndefined();
    const later = { filter: {}, since: keptSince(minutesAfterNoon(30 * day + 1 / 60)) };
    expect(named(await events.listIds(ctx, 'acc_1', later, { offset: 0, top: 100 }))).toBe('gfedcb');
    expect(await events.count(ctx, 'acc_1', later)).toBe(6);
  });

  it('are read with their deliveries, in the order of the destinations', async () => {
    const [, , c = ''] = ids;
    const view = await events.find(ctx, 'acc_1', c, since);
    expect(view?.event).toMatchObject({
      id: c,
      triggerId: 'trg_1',
      triggerType: 'schedule',
      capturedAt: minutesAfterNoon(2),
    });
    expect(Buffer.from(view?.event.body ?? []).toString()).toContain(c);
    expect(view?.deliveries.map(({ destinationId, state }) => [destinationId, state])).toEqual([
      ['dst_1', 'delivered'],
      ['dst_2', 'deadLettered'],
    ]);
  });

  it('that can be delivered are listed oldest first, of as many as a limit', async () => {
    await storeDestinations(store, 'acc_1', { dst_1: {}, dst_2: {} });
    const list = async (filter: EventFilter, limit: number) =>
      named(await events.listDeliverableIds(ctx, 'acc_1', { filter, since }, limit));
    expect(await list({}, 100)).toBe('abcefg');
    expect(await list({}, 4)).toBe('abce');
    expect(await list({ delivery: 'deadLettered' }, 100)).toBe('bc');
    expect(await list({ delivery: 'none' }, 100)).toBe('');
    await storeDestinations(store, 'acc_gone', { dst_deleted: { isDeleted: true }, dst_there: {} });
    const at = { accountId: 'acc_gone' };
    await create('p', { ...at, states: { dst_deleted: 'deadLettered' } });
    await create('q', { ...at, states: { dst_deleted: 'deadLettered', dst_there: 'delivered' } });
    const left = await events.listDeliverableIds(ctx, 'acc_gone', { filter: {}, since }, 100);
    expect(named(left)).toBe('q');
  });

  it('are exported newest first with their attempts, from any of them on', async () => {
    const records: unknown[] = [];
    const positions: string[] = [];
    for await (const { position, record } of exportEvents(store, ctx, 'acc_1', undefined)) {
      records.push(record);
      positions.push(position);
    }
    expect(records).toHaveLength(8);
    expect(records[0]).toMatchObject({
      id: ids[6],
      payload: { text: '' },
      destinationIds: ['dst_2'],
      attempts: [],
    });
    const rest = await exportEvents(store, ctx, 'acc_1', positions[5]).next();
    expect(rest).toMatchObject({ value: { record: { id: ids[0] } } });
  });
});

it('a page of large events is read up to a number of bytes, but never none', async () => {
  const large: string[] = [];
  for (let index = 0; index < 25; index += 1)
    large.push(await storeEvent(store, { accountId: 'acc_large', bodyBytes: 1_000 }));
  const read = async (maxBytes: number) =>
    (await events.read(ctx, 'acc_large', large, maxBytes)).items.map(({ event }) => event.id);
  expect(await read(1_000_000)).toEqual(large);
  expect(await read(13_400)).toEqual(large.slice(0, 11));
  expect(await read(1)).toEqual(large.slice(0, 1));
});

it('a page goes on after events that went meanwhile', async () => {
  const stored: string[] = [];
  for (let index = 0; index < 4; index += 1)
    stored.unshift(
      await storeEvent(store, {
        accountId: 'acc_going',
        bodyBytes: 600_000,
        capturedAt: minutesAfterNoon(index),
      }),
    );
  const clock = new ManualClock(minutesAfterNoon(60));
  const list = (after?: string) =>
    listEvents({ clock, events }, testContext({ accountId: 'acc_going' }), {
      filter: {},
      page: { offset: 0, top: 3, after },
      after: undefined,
    });
  const part = async (after?: string) => {
    const { items, totalCount, next } = await list(after);
    return { ids: items.map(({ event }) => event.id), totalCount, next };
  };
  const [first = '', second = '', third = '', last] = stored;
  expect(await part()).toEqual({ ids: [first], totalCount: 4, next: first });
  await store.collection(eventCollection).deleteMany({ _id: { $in: [first, second] } });
  expect(await part(first)).toEqual({ ids: [third], totalCount: 0, next: third });
  await store.collection(eventCollection).deleteOne({ _id: third });
  expect(await part(third)).toEqual({ ids: [last], totalCount: 0, next: undefined });
});

it('a page has the last attempts only, an event all of them', async () => {
  const attempts = [settledAttempt(), settledAttempt({ attempt: 2 })];
  const id = await storeEvent(store, { accountId: 'acc_attempts', attempts });
  const [listed] = (await events.read(ctx, 'acc_attempts', [id], 1)).items;
  expect(listed?.deliveries).toMatchObject([{ attempts: attempts.slice(1) }]);
  const found = await events.find(ctx, 'acc_attempts', id, since);
  expect(found?.deliveries).toMatchObject([{ attempts }]);
});

it('says which destinations are disabled', async () => {
  await storeDestinations(store, 'acc_d', { dst_on: {}, dst_off: { disabledReason: 'owner' } });
  await storeDestinations(store, 'acc_e', { dst_theirs: { disabledReason: 'owner' } });
  const disabled = await events.findDisabled(ctx, 'acc_d', ['dst_on', 'dst_off', 'dst_theirs', 'dst_none']);
  expect([...disabled]).toEqual(['dst_off']);
});

it('every list and count is served by the keys of an index, in order', async () => {
  await store.db.command({ profile: 2 });
  const filters: EventFilter[] = [
    {},
    { triggerId: 'trg_2' },
    { destinationId: 'dst_2' },
    { delivery: 'deadLettered' },
    { delivery: 'none' },
    { delivery: 'delivered', triggerId: 'trg_2', from: NOON },
  ];
  for (const filter of filters) await select('acc_1', filter);
  await store.db.command({ profile: 0 });
  const profiled = await store.db
    .collection('system.profile')
    .find({ ns: /\.(events|deliveries)$/ })
    .toArray();
  expect(profiled.length).toBeGreaterThan(2 * filters.length);
  for (const { planSummary, hasSortStage, docsExamined } of profiled) {
    expect(planSummary).toMatch(/^(?:IXSCAN|COUNT_SCAN)/);
    expect(hasSortStage).toBeUndefined();
    expect(docsExamined).toBe(0);
  }
});
