import { ManualClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { keptSince } from '../domain/event.ts';
import type { Replay } from '../ports/replays.ts';
import { minutesAfterNoon, NOON, settledAttempt, storeDestinations, storeEvent } from '../testing/events.ts';
import type { StoredEvent } from '../testing/events.ts';
import { eventStorage } from '../testing/event-storage.ts';
import { deliveryCollection } from './delivery.collection.ts';
import { REPLAY_DUE_PATH, replayCollection } from './replay.collection.ts';
import { createReplayRepository } from './replay.repository.ts';
import type { ReplayRepository } from './replay.repository.ts';
import { schema } from './schema.ts';

const ctx = testContext();
const now = minutesAfterNoon(10);
const since = keptSince(now);
let store: MongoStore & { drop(): Promise<void> };
let storage: ReturnType<typeof eventStorage>;
let replays: ReplayRepository;

beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
  storage = eventStorage({ store, clock: new ManualClock(now) });
  replays = createReplayRepository(store, storage.counts);
  await storeDestinations(store, 'acc_1', { dst_1: {}, dst_2: {}, dst_gone: { isDeleted: true } });
  await storeDestinations(store, 'acc_2', { dst_theirs: {} });
});
afterAll(() => store.drop());

const create = (o: Partial<StoredEvent> = {}) => storeEvent(store, { accountId: 'acc_1', ...o });
const replay = (eventId: string, o: Partial<Replay> = {}) =>
  replays.replay('acc_1', { eventId, otherwise: [], now, since, ...o });

/** An event as stored: its state in lists, and its deliveries. */
async function read(id: string) {
  const { events } = storage;
  const view = await events.find(ctx, 'acc_1', id, since);
  const listed: string[] = [];
  for (const delivery of ['pending', 'deadLettered', 'held', 'delivered', 'none'] as const) {
    const ids = await events.listIds(ctx, 'acc_1', { filter: { delivery }, since }, { offset: 0, top: 100 });
    if (ids.includes(id)) listed.push(delivery);
  }
  const deliveries = view?.deliveries.map(({ destinationId, state, open, isOnly, attempts }) => ({
    destinationId,
    state,
    cause: open?.cause,
    dueAt: open?.dueAt,
    attempts: attempts.length,
    isOnly,
  }));
  return { listed, deliveries };
}
const queued = { state: 'pending', cause: 'replay', dueAt: now };

describe('the replay of one event', () => {
  it.each(['delivered', 'deadLettered', 'held'] as const)(
    'that is %s queues one more attempt',
    async (state) => {
      const id = await create({ states: { dst_1: state }, attempts: [settledAttempt()] });
      expect(await replay(id)).toBe('queued');
      expect(await read(id)).toEqual({
        listed: ['pending'],
        deliveries: [{ destinationId: 'dst_1', ...queued, attempts: 1, isOnly: true }],
      });
    },
  );

  it('makes a scheduled retry due now', async () => {
    const dueAt = minutesAfterNoon(60);
    const id = await create({ states: { dst_1: 'pending' }, open: { at: dueAt, dueAt } });
    expect(await replay(id)).toBe('queued');
    expect((await read(id)).deliveries).toMatchObject([{ cause: 'pulledForward', dueAt: now }]);
  });

  it.each(['ladder', 'replay', 'pulledForward'] as const)(
    'whose attempt (%s) is under way queues one more after it, once',
    async (cause) => {
      const claim = { token: 't', by: 'worker', until: minutesAfterNoon(11) };
      const id = await create({ states: { dst_1: 'pending' }, open: { at: claim.until, claim, cause } });
      for (const minute of [10, 11])
        expect(await replay(id, { now: minutesAfterNoon(minute) })).toBe('queued');
      const view = await storage.events.find(ctx, 'acc_1', id, since);
      expect(view?.deliveries).toMatchObject([{ open: { claim, cause, replayAfter: now, at: claim.until } }]);
    },
  );

  it('is refused, with nothing queued, once a destination has had too many attempts', async () => {
    const attempts = Array.from({ length: 1_000 }, (_, at) => settledAttempt({ attempt: at + 1 }));
    const id = await create({ states: { dst_1: 'deadLettered' }, attempts: attempts.slice(1) });
    expect(await replay(id)).toBe('queued');
    const full = await create({ states: { dst_1: 'deadLettered', dst_2: 'deadLettered' }, attempts });
    expect(await replay(full)).toBe('tooManyAttempts');
    expect((await read(full)).listed).toEqual(['deadLettered']);
  });

  it('is the same as another one at the same time', async () => {
    const id = await create({ states: { dst_1: 'deadLettered', dst_2: 'deadLettered' } });
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => replay(id)));
    expect(new Set(outcomes)).toEqual(new Set(['queued']));
    const { listed, deliveries } = await read(id);
    expect(listed).toEqual(['pending']);
    expect(deliveries).toMatchObject([queued, queued]);
  });

  it('that comes before its delivery is stored makes its first attempt, with the whole ladder after it', async () => {
    const id = await create({ states: { dst_1: 'pending' }, open: {} });
    await store.collection(deliveryCollection).deleteMany({ accountId: 'acc_1', eventId: id });
    expect(await replay(id)).toBe('queued');
    const stored = await store.collection(deliveryCollection).findOne({ accountId: 'acc_1', eventId: id });
    expect(stored).toMatchObject({
      state: 'pending',
      ladder: 0,
      open: { queue: 0, cause: 'pulledForward', dueAt: NOON, claim: null },
    });
    expect(await read(id)).toMatchObject({ listed: ['pending'] });
  });

  it('may be for one of its destinations', async () => {
    const id = await create({ states: { dst_1: 'delivered', dst_2: 'deadLettered' } });
    expect(await replay(id, { destinationId: 'dst_2' })).toBe('queued');
    const { listed, deliveries } = await read(id);
    expect(listed).toEqual(['pending']);
    expect(deliveries).toMatchObject([{ state: 'delivered', cause: undefined }, queued]);
    const other = await create();
    expect(await replay(other, { destinationId: 'dst_2' })).toBe('otherDestination');
    expect((await read(other)).listed).toEqual(['delivered']);
  });

  it('goes to the destinations that still exist', async () => {
    const id = await create({ states: { dst_gone: 'deadLettered', dst_1: 'deadLettered' } });
    expect(await replay(id)).toBe('queued');
    expect((await read(id)).deliveries).toMatchObject([{ state: 'deadLettered' }, queued]);
    expect(await replay(await create({ states: { dst_gone: 'deadLettered' } }))).toBe('noDestination');
  });

  it('goes elsewhere if it has no destination', async () => {
    const id = await create({ states: {} });
    expect(await replay(id)).toBe('noDestination');
    expect(await replay(id, { otherwise: ['dst_theirs', 'dst_gone'] })).toBe('noDestination');
    expect((await read(id)).listed).toEqual(['none']);
    expect(await replay(id, { otherwise: ['dst_gone', 'dst_1'] })).toBe('queued');
    expect(await read(id)).toEqual({
      listed: ['pending'],
      deliveries: [{ destinationId: 'dst_1', ...queued, attempts: 0, isOnly: true }],
    });
    const two = await create({ states: {} });
    expect(await replay(two, { otherwise: ['dst_1', 'dst_2'] })).toBe('queued');
    expect(await read(two)).toMatchObject({ listed: ['pending'], deliveries: [queued, queued] });
    const moved = await create({ states: { dst_gone: 'deadLettered' } });
    expect(await replay(moved, { otherwise: ['dst_1'] })).toBe('queued');
    expect(await read(moved)).toMatchObject({
      listed: ['pending'],
      deliveries: [
        { state: 'deadLettered', isOnly: false },
        { ...queued, isOnly: false },
      ],
    });
  });

  it('needs an event of the account that still exists', async () => {
    const theirs = await create({ accountId: 'acc_2', states: { dst_theirs: 'deadLettered' } });
    expect(await replay(theirs)).toBe('noEvent');
    expect(await replay('te_none')).toBe('noEvent');
    const old = await create({ capturedAt: new Date(since.getTime() - 1) });
    expect(await replay(old)).toBe('noEvent');
  });
});

describe('many replays', () => {
  const claims = () => createClaims(store, replayCollection, REPLAY_DUE_PATH);
  const claim = () => claims().claim('acc_1', { now, until: minutesAfterNoon(11), limit: 100 });
  const countQueued = () =>
    store.collection(deliveryCollection).countDocuments({ 'open.cause': 'replay', triggerId: 'trg_many' });

  it('are each made once, by whoever holds the claim', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 120; index += 1)
      ids.push(await create({ states: { dst_1: 'deadLettered' }, triggerId: 'trg_many' }));
    const batch = { eventIds: [...ids, 'te_gone'], destinationId: undefined, now };
    expect(await replays.enqueue(ctx, 'acc_1', batch, 150)).toBe(true);
    const [first, ...others] = await claim();
    if (first === undefined) throw new Error('nothing is due');
    expect(others).toHaveLength(2);
    await replays.perform(first, { now, since });
    // The document with the last ids may be claimed first.
    const existing = first.document.eventIds.filter((id) => id !== 'te_gone').length;
    expect(await countQueued()).toBe(existing);
    // Delivered meanwhile; making it again would be a second replay.
    const delivered = { $unset: { open: '' as const }, $set: { state: 'delivered' as const } };
    await store.collection(deliveryCollection).updateMany({ triggerId: 'trg_many' }, delivered);
    await replays.perform(first, { now, since });
    for (const other of others)
      await replays.perform({ ...other, token: 'of another worker' }, { now, since });
    expect(await countQueued()).toBe(0);
    for (const other of others) await replays.perform(other, { now, since });
    expect(await countQueued()).toBe(120 - existing);
    expect(await store.collection(replayCollection).countDocuments()).toBe(0);
  });

  it('may be for one destination', async () => {
    const id = await create({ states: { dst_1: 'delivered', dst_2: 'delivered' } });
    const batch = { eventIds: [id], destinationId: 'dst_2', now };
    expect(await replays.enqueue(ctx, 'acc_1', batch, 100)).toBe(true);
    for (const claimed of await claim()) await replays.perform(claimed, { now, since });
    expect((await read(id)).deliveries).toMatchObject([{ state: 'delivered' }, queued]);
  });

  it('are refused while too many of the account wait, and of none there is nothing to wait for', async () => {
    const batch = {
      eventIds: Array.from({ length: 200 }, (_, at) => `te_${at}`),
      destinationId: undefined,
      now,
    };
    expect(await replays.enqueue(ctx, 'acc_3', { ...batch, eventIds: [] }, 200)).toBe(true);
    expect(await replays.enqueue(ctx, 'acc_3', batch, 200)).toBe(true);
    expect(await replays.enqueue(ctx, 'acc_3', batch, 200)).toBe(false);
    expect(await replays.enqueue(ctx, 'acc_4', batch, 200)).toBe(true);
    expect(await store.collection(replayCollection).countDocuments({ accountId: 'acc_3' })).toBe(4);
  });
});

it('replays read by indexes', async () => {
  const id = await create({ states: { dst_1: 'delivered', dst_2: 'deadLettered' } });
  await store.db.command({ profile: 2 });
  await replay(id);
  await replays.enqueue(ctx, 'acc_5', { eventIds: [id], destinationId: undefined, now }, 100);
  await store.db.command({ profile: 0 });
  const plans = await store.db
    .collection('system.profile')
    .find({ planSummary: { $exists: true }, ns: /\.(events|deliveries|destinations|replays)$/ })
    .map(({ planSummary }) => String(planSummary))
    .toArray();
  expect(plans.length).toBeGreaterThan(4);
  expect(plans.filter((plan) => plan.includes('COLLSCAN'))).toEqual([]);
});
