import { guid } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { Settlement } from '../ports/delivery-store.ts';
import { openLedger } from '../testing/ledger.ts';
import type { TestLedger } from '../testing/ledger.ts';
import { createEventCounts } from './event-counts.ts';
import { eventCollection } from './event.collection.ts';
import { createSettlements } from './settlements.ts';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await openLedger(inject('mongodbUri'));
});
afterAll(() => ledger.close());

it('of deliveries that end together each has its own status and duration, and one whose claim was lost is fenced', async () => {
  const { accountId, id } = await ledger.destination();
  const now = ledger.clock.now();
  const until = new Date(now.getTime() + 30_000);
  const claim = () => ({ token: guid(), by: 'one', until });
  const claimed = await ledger.deliveries.insert(ledger.events(4, accountId, [id]), claim);
  const destination = { epoch: 0, hasFailures: false };
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
    destination: { epoch: 0, hasFailures: false },
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

it('results of one event at several destinations are written one after the other, those of others beside them', async () => {
  const { accountId, id } = await ledger.destination();
  const others = await Promise.all(Array.from({ length: 5 }, () => ledger.destination({ accountId })));
  const destinationIds = [id, ...others.map((other) => other.id)];
  const now = ledger.clock.now();
  const claim = () => ({ token: guid(), by: 'one', until: new Date(now.getTime() + 30_000) });
  const events = ledger.events(2, accountId, destinationIds);
  const claimed = await ledger.deliveries.insert(events, claim);
  let [atOnce, most] = [0, 0];
  const store: MongoStore = {
    ...ledger.store,
    async withTransaction(f) {
      most = Math.max(most, (atOnce += 1));
      return ledger.store.withTransaction(f).finally(() => (atOnce -= 1));
    },
  };
  const counts = createEventCounts({ store, clock: ledger.clock });
  const settle = createSettlements(store, counts, () => Promise.resolve());
  const settlements = claimed.map((each, at): Settlement => ({
    claimed: each,
    outcome:
      at % 3 === 0
        ? { verdict: 'refused', statusCode: 404, error: 'http_404', durationMs: 1 }
        : { verdict: 'delivered', statusCode: 200, error: null, durationMs: 1 },
    now,
    destination: { epoch: 0, hasFailures: false },
  }));
  const results = await Promise.all(settlements.map((each) => settle([each])));
  expect(results.flat().map(({ kind }) => kind)).toEqual(claimed.map(() => 'settled'));
  expect(most).toBe(events.length);
  const stored = await ledger.store.collection(eventCollection).find({ accountId }).toArray();
  expect(stored.map(({ delivery }) => delivery)).toEqual(['deadLettered', 'deadLettered']);
});
