import { ManualClock } from '@fairlead/service-kit/clock';
import { createLease } from '@fairlead/service-kit/mongo/lease';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { eventDayCollection } from '../storage/event-day.collection.ts';
import { outboxCollection } from '../storage/outbox.collection.ts';
import { createOutboxRepository } from '../storage/outbox.repository.ts';
import { capturedEvent } from '../testing/firings.ts';
import { startOutboxConfirmer } from './outbox-confirmer.ts';

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [outboxCollection, eventDayCollection]);
});
afterAll(() => store.drop());

const LATER = new Date('2026-11-22T10:01:00.000Z');

/** Two replicas with one outbox, and a ledger that has the published events. */
function world() {
  const outbox = createOutboxRepository(store);
  const has = new Set<string>();
  const ledger = { isAway: false };
  const { log, lines } = captureLog();
  const published: string[] = [];
  const start = (name: string) =>
    startOutboxConfirmer({
      outbox,
      stream: {
        state: () => Promise.resolve({ createdAt: 'one', firstSequence: 0, lastSequence: 0, messages: 0 }),
        publish: (events) => {
          for (const { id } of events) has.add(id);
          published.push(...events.map(() => name));
          return Promise.resolve();
        },
      },
      ledger: {
        findMissing: (ids) =>
          ledger.isAway
            ? Promise.reject(new Error('away'))
            : Promise.resolve(ids.filter((id) => !has.has(id))),
      },
      lease: createLease(store, 'outbox', 60_000),
      clock: new ManualClock(LATER),
      log,
      everyMs: 10,
    });
  const pending = () =>
    store.collection(outboxCollection).countDocuments({ pendingSince: { $exists: true } });
  return { outbox, ledger, published, lines, start, pending };
}

test('one replica works, tells how old the oldest event is, and another goes on when it stops', async () => {
  const { outbox, ledger, published, lines, start, pending } = world();
  ledger.isAway = true;
  await outbox.insert([capturedEvent('te_1')]);
  const first = start('first');
  await expect.poll(() => registry.render()).toMatch(/^trigger_outbox_oldest_seconds 59$/m);
  const second = start('second');
  onTestFinished(() => second.close());
  await expect
    .poll(() => lines().filter(({ msg }) => msg === 'background work failed and will be tried again'))
    .toHaveLength(1);
  ledger.isAway = false;
  await expect.poll(pending).toBe(0);
  await expect.poll(() => registry.render()).toMatch(/^trigger_outbox_oldest_seconds 0$/m);
  expect(published).toEqual(['first']);
  await first.close();
  await outbox.insert([capturedEvent('te_2')]);
  await expect.poll(pending).toBe(0);
  expect(published).toEqual(['first', 'second']);
});
