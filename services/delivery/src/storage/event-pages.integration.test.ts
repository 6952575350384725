import { ManualClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { EventFilter } from '../domain/event-filter.ts';
import { keptSince } from '../domain/event.ts';
import { eventStorage } from '../testing/event-storage.ts';
import { NOON } from '../testing/events.ts';
import { loadEvents } from '../testing/load-events.ts';
import { partsOf, wheneverOf } from './event-selection.ts';
import { schema } from './schema.ts';

const DAY_MS = 24 * 60 * 60_000;
const EVENTS = 100_000;
const TOP = 25;
/** Rows that a count reads at each end of two parts, and the ends themselves. */
const COUNTED_KEYS = 2 * (2 * 500 + 100);
/** A page at a far offset searches its checkpoint and reads from there. */
const SOUGHT_KEYS = 4 * COUNTED_KEYS + 2 * 1_500;
const STATES = ['delivered', 'delivered', 'delivered', 'deadLettered'] as const;
/** Events of a poll occur some time before their capture. */
const LAGS_MS = [0, 0, 20_000, 3 * 60_000];

const accountId = 'acc_1';
const ctx = testContext();
const clock = new ManualClock(NOON);
const since = keptSince(NOON);
const period = { from: new Date(NOON.getTime() - 28 * DAY_MS), to: new Date(NOON.getTime() - DAY_MS) };

let store: MongoStore & { drop(): Promise<void> };
let ids: readonly string[];
let events: ReturnType<typeof eventStorage>['events'];

/** Every tenth event has a second destination, a hundredth of these a rare one; as many events have a rare trigger. */
function eventOf(index: number) {
  const [isSeveral, isRare] = [index % 10 === 0, index % 10_000 < 2];
  return {
    triggerId: isRare ? 'trg_rare' : `trg_${index % 2}`,
    destinationId: `dst_${Math.floor(index / 2) % 2}`,
    ...(isSeveral && { otherDestinationId: index % 10_000 === 10 ? 'dst_rare' : 'dst_other' }),
    state: STATES[Math.floor(index / 4) % STATES.length] ?? 'delivered',
    lagMs: LAGS_MS[Math.floor(index / 16) % LAGS_MS.length] ?? 0,
  };
}

/** Every documented filter. */
const FILTERS: Readonly<Record<string, EventFilter>> = {
  triggerId: { triggerId: 'trg_0' },
  destinationId: { destinationId: 'dst_1' },
  delivery: { delivery: 'deadLettered' },
  from: { from: new Date(NOON.getTime() - 20 * DAY_MS) },
  to: { to: new Date(NOON.getTime() - 10 * DAY_MS) },
};
const names = Object.keys(FILTERS);
/** Two filters: few events pass one of them, except for the last two pairs, where many pass each. */
const RARE: readonly EventFilter[] = [
  { triggerId: 'trg_rare', delivery: 'delivered' },
  { triggerId: 'trg_rare', destinationId: 'dst_0' },
  { destinationId: 'dst_rare', delivery: 'delivered' },
  { destinationId: 'dst_rare', triggerId: 'trg_0' },
  { destinationId: 'dst_other', delivery: 'delivered' },
  { destinationId: 'dst_other', triggerId: 'trg_0' },
];
/** Each single filter, every pair, and all together. */
const combinations = [
  [],
  ...names.map((name) => [name]),
  ...names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other])),
  ['delivery', 'from', 'to'],
  names,
];
const filterOf = (combination: readonly string[]): EventFilter =>
  Object.assign({}, ...combination.map((name) => FILTERS[name])) as EventFilter;

beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
  const storage = eventStorage({ store, clock });
  events = storage.events;
  ids = await loadEvents(store, accountId, { count: EVENTS, ...period }, eventOf);
  for (const filter of [...combinations.map(filterOf), ...RARE])
    for (const part of partsOf({ filter, since }))
      while (await storage.counts.extend(accountId, wheneverOf(part)));
}, 600_000);
afterAll(() => store.drop());

interface ProfileEntry {
  readonly keysExamined: number;
  readonly docsExamined: number;
  readonly planSummary: string;
  readonly hasSortStage?: boolean;
}

/** Keys and documents examined by the queries of a call; no query may scan a collection or sort. */
async function examinedBy(call: () => Promise<unknown>): Promise<{ keys: number; documents: number }> {
  const profile = store.db.collection<ProfileEntry>('system.profile');
  await profile.drop();
  await store.db.command({ profile: 2 });
  await call();
  await store.db.command({ profile: 0 });
  const queries = await profile.find({ planSummary: { $exists: true } }).toArray();
  expect(queries.length).toBeGreaterThan(0);
  expect(queries.filter(({ planSummary }) => planSummary.includes('COLLSCAN'))).toEqual([]);
  expect(queries.filter(({ hasSortStage = false }) => hasSortStage)).toEqual([]);
  const sum = (of: 'keysExamined' | 'docsExamined') => queries.reduce((all, query) => all + query[of], 0);
  return { keys: sum('keysExamined'), documents: sum('docsExamined') };
}

/** The expected ids for a filter, newest first. */
function expected({ triggerId, destinationId, delivery, from, to }: EventFilter, after?: string) {
  const capturedMs = (index: number): number =>
    new Date(
      period.from.getTime() + ((period.to.getTime() - period.from.getTime()) * index) / EVENTS,
    ).getTime();
  return ids
    .filter((id, index) => {
      const event = eventOf(index);
      const occurredMs = capturedMs(index) - event.lagMs;
      return (
        (triggerId ?? event.triggerId) === event.triggerId &&
        [undefined, event.destinationId, event.otherDestinationId].includes(destinationId) &&
        (delivery ?? event.state) === event.state &&
        (from === undefined || occurredMs >= from.getTime()) &&
        (to === undefined || occurredMs < to.getTime()) &&
        (after === undefined || id < after)
      );
    })
    .toReversed();
}

it.each(combinations.map((combination) => ({ by: combination.join(' and ') || 'nothing', combination })))(
  'a page of 100 000 events by $by, at the beginning, after one and far away, is counted by few keys of indexes',
  async ({ combination }) => {
    const filter = filterOf(combination);
    for (const after of [undefined, ids[EVENTS / 2]]) {
      const selection = { filter, since, after };
      const rows = expected(filter, after);
      const counting = await examinedBy(async () =>
        expect(await events.count(ctx, accountId, selection)).toBe(rows.length),
      );
      expect(counting.keys).toBeLessThanOrEqual(COUNTED_KEYS);
      for (const offset of [0, Math.floor(rows.length * 0.9)]) {
        const page = { offset, top: TOP };
        const reading = await examinedBy(async () =>
          expect(await events.listIds(ctx, accountId, selection, page)).toEqual(
            rows.slice(offset, offset + TOP),
          ),
        );
        expect(reading.keys).toBeLessThanOrEqual(offset === 0 ? COUNTED_KEYS : SOUGHT_KEYS);
        expect(counting.documents + reading.documents).toBeLessThanOrEqual(100);
      }
    }
  },
);

it.each(RARE)('a page by two of which few have one reads few keys, and no event: %o', async (filter) => {
  const selection = { filter, since };
  const rows = expected(filter);
  const listing = await examinedBy(async () => {
    const ids = await events.listIds(ctx, accountId, selection, { offset: 0, top: TOP });
    expect(ids).toEqual(rows.slice(0, TOP));
  });
  expect(listing.keys).toBeLessThanOrEqual(COUNTED_KEYS);
  const counting = await examinedBy(async () =>
    expect(await events.count(ctx, accountId, selection)).toBe(rows.length),
  );
  expect(counting.keys).toBeLessThanOrEqual(2 * COUNTED_KEYS);
  expect(listing.documents + counting.documents).toBe(0);
});
