import { guid } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { monitoredStore } from '@fairlead/service-kit/testing/monitored-store';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { keptSince } from '../domain/event.ts';
import type { CapturedEvent } from '../domain/event.ts';
import type { ClaimedDelivery, Settlement } from '../ports/delivery-store.ts';
import { openTestLedger } from '../testing/ledger.ts';
import type { TestLedger } from '../testing/ledger.ts';
import { deliveryCollection } from './delivery.collection.ts';
import { createEventCounts } from './event-counts.ts';
import { eventCollection } from './event.collection.ts';
import { createSettlements } from './settlements.ts';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await openTestLedger(inject('mongodbUri'));
});
afterAll(() => ledger.close());

it('of deliveries that end together each has its own status and duration, and one whose claim was lost is fenced', async () => {
  const { accountId, id } = await ledger.destination();
  const now = ledger.clock.now();
  const until = new Date(now.getTime() + 30_000);
  const claim = () => ({ token: guid(), by: 'one', until });
  const claimed = await ledger.deliveries.insert(ledger.events(4, accountId, [id]), claim);
  const destination = { epoch: 0 };
  const settlements = claimed.map((each, at): Settlement => ({
    claimed: each,
    outcome: { verdict: 'delivered', statusCode: 200 + at, error: null, durationMs: 10 * at },
    now,
    destination,
  }));
  const later = new Date(until.getTime() + 1);
  await ledger.deliveries.settle(settlements.slice(3));
  const taken = await ledger.deliveries.claim(
    { destinationId: id, queue: 0 },
    { now: later, until: new Date(later.getTime() + 30_000), by: 'two', limit: 1 },
  );
  const results = await ledger.deliveries.settle(settlements.slice(0, 3));
  const isTaken = claimed.map(({ eventId }) => taken.some((each) => each.eventId === eventId));
  expect(isTaken.filter(Boolean)).toHaveLength(1);
  expect(results.map(({ kind }) => kind === 'fenced')).toEqual(isTaken.slice(0, 3));
  const stored = await Promise.all(claimed.map(({ eventId }) => ledger.delivery(eventId, id)));
  expect(
    stored.map(({ state, attempts, ladder, open }) => ({ state, attempts, ladder, by: open?.claim?.by })),
  ).toEqual(
    claimed.map(({ open: { createdAt } }, at) => {
      if (isTaken[at] === true) return { state: 'pending', attempts: [], ladder: 0, by: 'two' };
      const made = { attempt: 1, state: 'delivered', statusCode: 200 + at, error: null, durationMs: 10 * at };
      return { state: 'delivered', attempts: [{ ...made, createdAt }], ladder: 0, by: undefined };
    }),
  );
});

it('a destination that a transaction holds blocks its own results, which can be written later, and those of no other', async () => {
  const { accountId, id } = await ledger.destination();
  const other = await ledger.destination({ accountId });
  const until = new Date(ledger.clock.now().getTime() + 30_000);
  const claim = () => ({ token: guid(), by: 'one', until });
  const ids = [id, id, other.id];
  const claimed = await ledger.deliveries.insert(
    ids.flatMap((each) => ledger.events(1, accountId, [each])),
    claim,
  );
  const settlements = claimed.map((each): Settlement => ({
    claimed: each,
    outcome: { verdict: 'refused', statusCode: 410, error: 'http_410', durationMs: 1 },
    now: ledger.clock.now(),
    destination: { epoch: 0 },
  }));
  const release = await ledger.holdDestination(id);
  const results = await ledger.deliveries.settle(settlements);
  expect(results.map(({ kind }) => kind)).toEqual(['blocked', 'blocked', 'settled']);
  expect(await ledger.states(id)).toEqual({ pending: 2 });
  await release();
  const again = await ledger.deliveries.settle(settlements);
  expect(again.map(({ kind }) => kind)).toEqual(['settled', 'settled', 'fenced']);
  expect(await ledger.states(id)).toEqual({ deadLettered: 2 });
});

it('a claim is renewed by its holder only', async () => {
  const { accountId, id } = await ledger.destination();
  const later = (ms: number) => new Date(ledger.clock.now().getTime() + ms);
  const claim = () => ({ token: guid(), by: 'one', until: later(30_000) });
  const [claimed] = await ledger.deliveries.insert(ledger.events(1, accountId, [id]), claim);
  if (claimed === undefined) throw new Error('nothing was claimed');
  expect(await ledger.deliveries.renew(claimed, later(60_000))).toBe(true);
  const take = (now: Date) =>
    ledger.deliveries.claim(
      { destinationId: id, queue: 0 },
      { now, until: later(120_000), by: 'two', limit: 1 },
    );
  expect(await take(later(59_999))).toEqual([]);
  expect(await take(later(60_000))).toHaveLength(1);
  expect(await ledger.deliveries.renew(claimed, later(90_000))).toBe(false);
});

/** Settlements of another process on the same database; `store` counts its operations. */
function otherProcess(store: MongoStore = ledger.store) {
  const counts = createEventCounts({ store, clock: ledger.clock });
  return createSettlements(store, counts, () => Promise.resolve());
}

/** Stores events and claims their deliveries. */
function claimAll(events: readonly CapturedEvent[]) {
  const until = new Date(ledger.clock.now().getTime() + 30_000);
  return ledger.deliveries.insert(events, () => ({ token: guid(), by: 'one', until }));
}

const ended = (claimed: ClaimedDelivery, verdict: 'delivered' | 'refused' = 'delivered'): Settlement => ({
  claimed,
  outcome:
    verdict === 'refused'
      ? { verdict, statusCode: 404, error: 'http_404', durationMs: 1 }
      : { verdict, statusCode: 200, error: null, durationMs: 1 },
  now: ledger.clock.now(),
  destination: { epoch: 0 },
});

/** The delivery state of each event of an account, overall and per destination. */
const summaries = async (accountId: string) => {
  const stored = await ledger.store.collection(eventCollection).find({ accountId }).toArray();
  return stored
    .map(({ delivery, states }) => [delivery, ...Object.values(states ?? {})].join(' '))
    .toSorted();
};

it('failures of one event at several destinations are written one after the other, those of others beside them', async () => {
  const { accountId, id } = await ledger.destination();
  const others = await Promise.all(Array.from({ length: 5 }, () => ledger.destination({ accountId })));
  const destinationIds = [id, ...others.map((other) => other.id)];
  const events = ledger.events(2, accountId, destinationIds);
  const claimed = await claimAll(events);
  let [atOnce, most] = [0, 0];
  const settle = otherProcess({
    ...ledger.store,
    async withTransaction(f) {
      most = Math.max(most, (atOnce += 1));
      return ledger.store.withTransaction(f).finally(() => (atOnce -= 1));
    },
  });
  const results = await Promise.all(claimed.map((each) => settle([ended(each, 'refused')])));
  expect(results.flat().map(({ kind }) => kind)).toEqual(claimed.map(() => 'settled'));
  expect(most).toBe(events.length);
  expect(await summaries(accountId)).toEqual(
    events.map(() => ['deadLettered', ...destinationIds.map(() => 'deadLettered')].join(' ')),
  );
});

it('what is delivered of events with several destinations ends in one transaction with a statement for deliveries', async () => {
  const { accountId, id } = await ledger.destination();
  const ids = [
    id,
    (await ledger.destination({ accountId })).id,
    (await ledger.destination({ accountId })).id,
  ];
  const claimed = await claimAll(ledger.events(10, accountId, ids));
  const store = await monitoredStore(inject('mongodbUri'), ledger.store.db.databaseName);
  onTestFinished(() => store.close());
  let transactions = 0;
  const settle = otherProcess({
    ...store,
    withTransaction(f) {
      transactions += 1;
      return store.withTransaction(f);
    },
  });
  const [lost, ...rest] = claimed;
  if (lost === undefined) throw new Error('nothing was claimed');
  await ledger.deliveries.release([lost]);
  const results = await settle(rest.map((each) => ended(each)));
  expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['settled']));
  expect([transactions, store.takeSent(deliveryCollection.name)]).toEqual([1, ['update']]);
  expect(await summaries(accountId)).toEqual([
    ...Array.from({ length: 9 }, () => 'delivered delivered delivered delivered'),
    ['pending', ...ids.map((each) => (each === lost.destinationId ? 'pending' : 'delivered'))].join(' '),
  ]);
});

it('a late result of an attempt that another process has delivered leaves the replay after it pending', async () => {
  const { accountId, id } = await ledger.destination();
  const other = await ledger.destination({ accountId });
  const events = ledger.events(2, accountId, [id, other.id]);
  const claimed = await claimAll(events);
  const [late] = claimed;
  if (late === undefined) throw new Error('nothing was claimed');
  await ledger.deliveries.release([late]);
  const now = ledger.clock.now();
  const again = await ledger.deliveries.claim(
    { destinationId: id, queue: 0 },
    { now, until: new Date(now.getTime() + 30_000), by: 'two', limit: 1 },
  );
  await ledger.deliveries.settle(again.map((each) => ended(each)));
  const { eventId } = late;
  await ledger.replays.replay(accountId, {
    eventId,
    destinationId: id,
    otherwise: [],
    now,
    since: keptSince(now),
  });
  const results = await ledger.deliveries.settle(claimed.map((each) => ended(each)));
  expect(results.map(({ kind }) => kind)).toEqual(['fenced', 'settled', 'settled', 'settled']);
  expect(await summaries(accountId)).toEqual(['delivered delivered delivered', 'pending pending delivered']);
});

it('two processes end deliveries of the same events at once', async () => {
  const { accountId, id } = await ledger.destination();
  const other = await ledger.destination({ accountId });
  const claimed = await claimAll(ledger.events(20, accountId, [id, other.id]));
  const settle = otherProcess();
  const of = (destinationId: string) =>
    claimed.filter((each) => each.destinationId === destinationId).map((each) => ended(each));
  const results = await Promise.all([ledger.deliveries.settle(of(id)), settle(of(other.id))]);
  expect(new Set(results.flat().map(({ kind }) => kind))).toEqual(new Set(['settled']));
  expect(new Set(await summaries(accountId))).toEqual(new Set(['delivered delivered delivered']));
});

it('a delivered event ends the failures that another process has counted since its attempt began', async () => {
  const { accountId, id } = await ledger.destination({ maxConsecutiveFailures: 3 });
  const [delivered, second, ...failed] = await claimAll(ledger.events(5, accountId, [id]));
  if (delivered === undefined || second === undefined) throw new Error('too few were claimed');
  const other = otherProcess();
  const streak = async () => (await ledger.destinations.find(ledger.ctx, accountId, id))?.consecutiveFailures;
  for (const each of failed.slice(0, 2)) await other([ended(each, 'refused')]);
  expect(await streak()).toBe(2);
  await ledger.deliveries.settle([ended(delivered), ended(second)]);
  expect(await streak()).toBe(0);
  const [last] = await other(failed.slice(2).map((each) => ended(each, 'refused')));
  expect(last).toMatchObject({ kind: 'settled', isDisabled: false });
  expect(await streak()).toBe(1);
});

it('an event that is replayed to another destination while its only attempt is under way is over when both have ended', async () => {
  const { accountId, id } = await ledger.destination();
  const other = await ledger.destination({ accountId });
  const events = ledger.events(2, accountId, [id]);
  const claimed = await claimAll(events);
  const now = ledger.clock.now();
  await ledger.destinations.delete(ledger.ctx, accountId, id, now);
  for (const event of events)
    await ledger.replays.replay(accountId, {
      eventId: event.id,
      otherwise: [other.id],
      now,
      since: keptSince(now),
    });
  const until = new Date(now.getTime() + 30_000);
  const replayed = await ledger.deliveries.claim(
    { destinationId: other.id, queue: 1 },
    { now, until, by: 'one', limit: 2 },
  );
  const verdicts = ['delivered', 'refused'] as const;
  await ledger.deliveries.settle(claimed.map((each, at) => ended(each, verdicts[at])));
  await ledger.deliveries.settle(replayed.map((each) => ended(each)));
  expect(await summaries(accountId)).toEqual([
    'deadLettered deadLettered delivered',
    'delivered delivered delivered',
  ]);
});
