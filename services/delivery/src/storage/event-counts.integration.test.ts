import { ManualClock } from '@fairlead/service-kit/clock';
import { prefixedId, timeOfPrefixedId } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { seededRandom } from '@fairlead/service-kit/testing/random';
import type { Random } from '@fairlead/service-kit/testing/random';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { EventFilter } from '../domain/event-filter.ts';
import { keptSince } from '../domain/event.ts';
import { outcomeOfStatus } from '../domain/outcome.ts';
import type { ClaimedDelivery } from '../ports/delivery-store.ts';
import { capturedEvent } from '../testing/deliveries.ts';
import { eventStorage } from '../testing/event-storage.ts';
import { NOON, storeDestinations, storeEvent } from '../testing/events.ts';
import { deliveryCollection } from './delivery.collection.ts';
import { createDeliveryRepository } from './delivery.repository.ts';
import { eventCheckpointCollection, eventRowCheckpointCollection } from './event-checkpoint.collection.ts';
import { partsOf, wheneverOf } from './event-selection.ts';
import { eventCollection } from './event.collection.ts';
import { createReplayRepository } from './replay.repository.ts';
import { schema } from './schema.ts';

const MINUTE_MS = 60_000;
const ROWS = 5;
/** Lags of events; some sources have a clock that is ahead. */
const LAGS_MS: readonly [number, ...number[]] = [
  0,
  0,
  400,
  1_500,
  30_000,
  5 * MINUTE_MS,
  -1_200,
  -2 * MINUTE_MS,
];
type Period = Pick<EventFilter, 'from' | 'to'>;
const DELIVERIES = ['none', 'pending', 'delivered', 'deadLettered', 'held'] as const;
const ctx = testContext();

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
});
afterAll(() => store.drop());

/** An account, and its events as two replicas write and count them. */
class World {
  readonly accountId: string;
  readonly #one: string;
  readonly #other: string;
  readonly clock = new ManualClock(NOON);
  readonly #claimed: ClaimedDelivery[] = [];
  readonly #ids: string[] = [];
  readonly #random: Random;
  readonly #replicas = [0, 1].map(() => {
    const storage = eventStorage({ store, clock: this.clock, rowsPerCheckpoint: ROWS });
    return {
      ...storage,
      deliveries: createDeliveryRepository(store, storage.counts, () => Promise.resolve()),
      replays: createReplayRepository(store, storage.counts),
    };
  });

  constructor(accountId: string, random: Random) {
    this.accountId = accountId;
    [this.#one, this.#other] = [`dst_${accountId}_1`, `dst_${accountId}_2`];
    this.#random = random;
  }

  get #replica() {
    const [one, other] = this.#replicas;
    if (one === undefined || other === undefined) throw new Error('There are two replicas.');
    return this.#random.pick([one, other]);
  }

  async storeDestinations(): Promise<void> {
    await storeDestinations(store, this.accountId, { [this.#one]: {}, [this.#other]: {} });
  }

  /** Records events captured some time ago. */
  async insert(): Promise<void> {
    const events = Array.from({ length: 1 + this.#random.below(4) }, () => {
      const agoMs = this.#random.pick([0, 0, 0, 20_000, 10 * MINUTE_MS]);
      const capturedAt = new Date(this.clock.now().getTime() - agoMs);
      return capturedEvent({
        id: prefixedId('te', capturedAt),
        accountId: this.accountId,
        triggerId: this.#random.pick(['trg_1', 'trg_2']),
        destinationIds: this.#random.pick([
          [],
          [this.#one],
          [this.#one],
          [this.#other],
          [this.#one, this.#other],
        ]),
        capturedAt,
        occurredAt: new Date(capturedAt.getTime() - this.#random.pick(LAGS_MS)),
      });
    });
    this.#ids.push(...events.map(({ id }) => id));
    const until = new Date(this.clock.now().getTime() + MINUTE_MS);
    const claimed = await this.#replica.deliveries.insert(events, (event, destinationId) => ({
      token: `${event.id} ${destinationId}`,
      by: 'test',
      until,
    }));
    this.#claimed.push(...claimed);
  }

  /** Ends some of the attempts in progress, oldest and newest mixed. */
  async end(): Promise<void> {
    const some = this.#claimed.splice(0, 1 + this.#random.below(6));
    if (this.#random.chance(0.1)) {
      for (const one of some) await this.#replica.deliveries.hold(one);
      return;
    }
    const settlements = some.map((claimed) => ({
      claimed,
      outcome: outcomeOfStatus(this.#random.pick([200, 200, 404, 503]), 1),
      now: this.clock.now(),
      destination: { epoch: 0 },
    }));
    await this.#replica.deliveries.settle(settlements);
  }

  async replay(): Promise<void> {
    const eventId = this.#ids[this.#random.below(this.#ids.length)];
    if (eventId === undefined) return;
    const at = { now: this.clock.now(), since: keptSince(this.clock.now()) };
    await this.#replica.replays.replay(this.accountId, { eventId, otherwise: [this.#other], ...at });
  }

  /** Claims due attempts, to be ended later. */
  async claim(): Promise<void> {
    const now = this.clock.now();
    const until = new Date(now.getTime() + MINUTE_MS);
    const { deliveries } = this.#replica;
    for (const destinationId of [this.#one, this.#other]) {
      const claim = { now, until, by: 'test', limit: 5 };
      this.#claimed.push(...(await deliveries.claim({ destinationId, queue: 1 }, claim)));
    }
  }

  async extend(): Promise<void> {
    const [first, ...others] = partsOf({ filter: this.randomFilter(), since: NOON });
    const { counts } = this.#replica;
    for (const part of [first, ...others]) await counts.extend(this.accountId, wheneverOf(part));
  }

  randomFilter(): EventFilter {
    const delivery = this.#random.pick([undefined, ...DELIVERIES]);
    const triggerId = this.#random.pick([undefined, undefined, 'trg_1']);
    const destinationId = this.#random.pick([undefined, undefined, this.#one]);
    return {
      ...(delivery !== undefined && { delivery }),
      ...(triggerId !== undefined && { triggerId }),
      ...(destinationId !== undefined && { destinationId }),
      ...this.#randomPeriod(),
    };
  }

  /** A period: mostly none, or one with its bounds among the events' times. */
  #randomPeriod(): Period {
    if (this.#random.chance(0.4)) return {};
    const atMs = (): Date => {
      const id = this.#ids[this.#random.below(this.#ids.length)];
      const capturedMs = (id === undefined ? NOON : timeOfPrefixedId(id)).getTime();
      return new Date(capturedMs - this.#random.pick(LAGS_MS));
    };
    const [from, to] = [atMs(), atMs()];
    return this.#random.pick<Period>([{ from }, { to }, from < to ? { from, to } : { from: to, to: from }]);
  }

  /** The counted, the listed, and the expected number of events. */
  async counted(filter: EventFilter) {
    const selection = { filter, since: keptSince(this.clock.now()) };
    const { events } = this.#replica;
    const counted = await events.count(ctx, this.accountId, selection);
    const page = (offset: number, top: number) =>
      events.listIds(ctx, this.accountId, selection, { offset, top });
    const offset = this.#random.below(counted + 2);
    const [listed, later] = [await page(0, 10_000), await page(offset, 7)];
    const stored = await this.#stored(filter);
    const found = { counted, listed, later };
    return {
      found,
      expected: { counted: stored.length, listed: stored, later: stored.slice(offset, offset + 7) },
    };
  }

  /** The expected ids for the filter, newest first. */
  async #stored({ delivery, triggerId, destinationId, from, to }: EventFilter): Promise<readonly string[]> {
    const { accountId } = this;
    const deliveries = await store.collection(deliveryCollection).find({ accountId }).toArray();
    const states = new Map(deliveries.map(({ eventId, state }) => [eventId, state]));
    const events = await store.collection(eventCollection).find({ accountId }).toArray();
    const wanted = events.filter(
      (event) =>
        (from === undefined || event.occurredAt >= from) &&
        (to === undefined || event.occurredAt < to) &&
        (delivery === undefined || (event.delivery ?? states.get(event._id)) === delivery) &&
        (triggerId === undefined || event.triggerId === triggerId) &&
        (destinationId === undefined || event.destinationIds.includes(destinationId)),
    );
    return wanted.map(({ _id }) => _id).toSorted((a, b) => (a < b ? 1 : -1));
  }

  async checkpoints(): Promise<readonly number[]> {
    const { accountId } = this;
    return Promise.all([
      store.collection(eventCheckpointCollection).countDocuments({ accountId }),
      store.collection(eventRowCheckpointCollection).countDocuments({ accountId }),
    ]);
  }
}

it.each([1, 2, 3, 4])(
  'counts are those of the events, whatever is recorded late, ended, replayed and counted at once (seed %s)',
  async (seed) => {
    const random = seededRandom(seed);
    const world = new World(`acc_${String(seed)}`, random);
    await world.storeDestinations();
    let most = [0, 0];
    for (let step = 0; step < 80; step += 1) {
      await Promise.all(
        Array.from({ length: 1 + random.below(4) }, () => {
          if (random.chance(0.4)) return world.insert();
          if (random.chance(0.4)) return world.end();
          if (random.chance(0.2)) return world.replay();
          return world.extend();
        }),
      );
      await world.claim();
      world.clock.advance(random.pick([1, 1_000, MINUTE_MS, 4 * MINUTE_MS]));
      const filter = world.randomFilter();
      const { found, expected } = await world.counted(filter);
      expect({ filter, ...found }).toEqual({ filter, ...expected });
      const there = await world.checkpoints();
      most = most.map((each, index) => Math.max(each, there[index] ?? 0));
    }
    expect(Math.min(...most)).toBeGreaterThan(10);
  },
  // Hundreds of transactions on a possibly busy machine.
  240_000,
);

it('a count of many events reads the keys of two checkpoints and of the events beyond them', async () => {
  const accountId = 'acc_many';
  const clock = new ManualClock(NOON);
  const { counts, events, requested } = eventStorage({ store, clock, rowsPerCheckpoint: ROWS });
  for (let at = 0; at < 100; at += 1) {
    const states = { dst_1: at % 4 === 0 ? 'deadLettered' : 'delivered' } as const;
    await storeEvent(store, { accountId, capturedAt: new Date(NOON.getTime() + at), states });
  }
  clock.advance(10 * MINUTE_MS);
  const filters: EventFilter[] = [
    {},
    { destinationId: 'dst_1' },
    { delivery: 'deadLettered' },
    { triggerId: 'trg_1' },
  ];
  const since = keptSince(clock.now());
  for (const filter of filters) await events.count(ctx, accountId, { filter, since });
  expect(requested.map(({ from }) => from)).toEqual(['events', 'ofDestination', 'single', 'events']);
  for (const part of requested) while (await counts.extend(accountId, part));
  await store.db.command({ profile: 2 });
  const counted: number[] = [];
  for (const filter of filters) counted.push(await events.count(ctx, accountId, { filter, since }));
  await store.db.command({ profile: 0 });
  expect(counted).toEqual([100, 100, 25, 100]);
  const profiled = await store.db
    .collection('system.profile')
    .find({
      'command.comment': { $exists: false },
      ns: /\.(events|deliveries|event_checkpoints|event_row_checkpoints)$/,
    })
    .toArray();
  const keys = profiled.reduce((sum, { keysExamined }) => sum + Number(keysExamined), 0);
  expect(keys).toBeLessThan(filters.length * 3 * ROWS);
  expect(profiled.every(({ docsExamined }) => docsExamined === 0)).toBe(true);
});

it('an old event that is replayed or ends leaves the counts of all events as short as they were', async () => {
  const accountId = 'acc_replayed';
  const clock = new ManualClock(NOON);
  const { counts } = eventStorage({ store, clock, rowsPerCheckpoint: ROWS });
  await storeDestinations(store, accountId, { dst_replayed: {} });
  const ids: string[] = [];
  for (let at = 0; at < 30; at += 1) {
    const capturedAt = new Date(NOON.getTime() + at);
    const states = { dst_replayed: 'delivered' } as const;
    ids.push(await storeEvent(store, { accountId, capturedAt, states }));
  }
  clock.advance(10 * MINUTE_MS);
  const [now, since] = [clock.now(), keptSince(clock.now())];
  for (const filter of [{}, { delivery: 'delivered' as const }])
    for (const part of partsOf({ filter, since })) while (await counts.extend(accountId, wheneverOf(part)));
  const left = (collection: typeof eventCheckpointCollection | typeof eventRowCheckpointCollection) =>
    store.db.collection(collection.name).countDocuments({ accountId });
  const before = await left(eventRowCheckpointCollection);
  expect(before).toBeGreaterThan(5);
  const replays = createReplayRepository(store, counts);
  await replays.replay(accountId, { eventId: ids[0] ?? '', otherwise: [], now, since });
  expect(await left(eventRowCheckpointCollection)).toBe(before);
  expect(await left(eventCheckpointCollection)).toBe(1);
  const deliveries = createDeliveryRepository(store, counts, () => Promise.resolve());
  const claim = { now, until: new Date(now.getTime() + MINUTE_MS), by: 'test', limit: 1 };
  const [claimed] = await deliveries.claim({ destinationId: 'dst_replayed', queue: 1 }, claim);
  if (claimed === undefined) throw new Error('The replay is not due.');
  await deliveries.settle([{ claimed, outcome: outcomeOfStatus(200, 1), now, destination: { epoch: 0 } }]);
  expect(await left(eventRowCheckpointCollection)).toBe(before);
});
