import { createClaims } from '@fairlead/service-kit/sweep/claims';
import type { Timers } from '@fairlead/service-kit/timers';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { deliveryCollection } from '../storage/delivery.collection.ts';
import { destinationCollection, UPKEEP_PATH } from '../storage/destination.collection.ts';
import { REPLAY_DUE_PATH, replayCollection } from '../storage/replay.collection.ts';
import { createUpkeep } from '../storage/upkeep.ts';
import { createEventCounts } from '../storage/event-counts.ts';
import { openTestLedger } from '../testing/ledger.ts';
import type { TestLedger } from '../testing/ledger.ts';
import { startDestinationUpkeep } from './destination-upkeep.ts';
import { startReplayer } from './replayer.ts';

const PATIENCE = { timeout: 90_000, interval: 20 };
/** Sweeps check only once by themselves. */
const timers: Timers = { after: () => ({ cancel: () => undefined }) };

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await openTestLedger(inject('mongodbUri'));
});
afterAll(() => ledger.close());

const countOpen = (destinationId: string): Promise<number> =>
  ledger.store.collection(deliveryCollection).countDocuments({ 'open.destinationId': destinationId });

test('what one request has replayed is queued without a pause, and what comes later once it is announced', async () => {
  const { store, clock, log, replays } = ledger;
  const { accountId, id } = await ledger.destination();
  const events = ledger.events(160, accountId, [id]);
  await ledger.storeUnclaimed(events);
  await store
    .collection(deliveryCollection)
    .updateMany({ destinationId: id }, { $unset: { open: '' }, $set: { state: 'delivered' } });
  const enqueue = async (some: typeof events) => {
    const batch = { eventIds: some.map((event) => event.id), destinationId: undefined, now: clock.now() };
    expect(await replays.enqueue(ledger.ctx, accountId, batch, 10_000)).toBe(true);
  };
  await enqueue(events.slice(0, 120));
  const woken = vi.fn();
  const claims = createClaims(store, replayCollection, REPLAY_DUE_PATH);
  const replayer = startReplayer({ claims, replays, wakeAttempts: woken, clock, timers, log });
  onTestFinished(() => replayer.close());
  await vi.waitUntil(async () => (await countOpen(id)) === 120, PATIENCE);
  expect(woken.mock.calls.length).toBeGreaterThanOrEqual(2);
  await enqueue(events.slice(120));
  replayer.wake();
  await vi.waitUntil(async () => (await countOpen(id)) === 160, PATIENCE);
});

test('the open deliveries of a deleted destination end without a pause, however many there are', async () => {
  const { store, clock, log, ctx } = ledger;
  const { accountId, id } = await ledger.destination();
  await ledger.storeUnclaimed(ledger.events(1_100, accountId, [id]));
  await ledger.destinations.delete(ctx, accountId, id, clock.now());
  const upkeep = startDestinationUpkeep({
    claims: createClaims(store, destinationCollection, UPKEEP_PATH),
    perform: createUpkeep(store, createEventCounts({ store, clock })),
    clock,
    timers,
    log,
  });
  onTestFinished(() => upkeep.close());
  await vi.waitUntil(async () => (await countOpen(id)) === 0, PATIENCE);
  expect(await ledger.states(id)).toEqual({ deadLettered: 1_100 });
});
