import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventsCapturedSchema } from '@fairlead/contracts/triggers/v1/event_pb';
import { startNatsServer } from '@fairlead/local-stores/nats-server';
import { ManualClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { defineConsumer } from '@fairlead/service-kit/nats/consumer';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import { Secret } from '@fairlead/service-kit/secret';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { streamManager } from '@fairlead/service-kit/testing/nats';
import { recordSpans } from '@fairlead/service-kit/testing/recording-tracer';
import { inSpan, startSpan } from '@fairlead/service-kit/telemetry/tracing';
import { patientNats } from '@fairlead/service-kit/testing/patient-nats';
import { afterAll, beforeAll, beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { eventDayCollection } from '../storage/event-day.collection.ts';
import { outboxCollection } from '../storage/outbox.collection.ts';
import { createOutboxRepository } from '../storage/outbox.repository.ts';
import { firing } from '../testing/firings.ts';
import { createCapture } from '../use-cases/capture-firings.ts';
import { confirmEvents } from '../use-cases/confirm-events.ts';
import type { Checkpoint } from '../use-cases/confirm-events.ts';
import { createEventStream, eventsStream } from './event-stream.ts';

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [outboxCollection, eventDayCollection]);
});
beforeEach(async () => {
  await store.collection(outboxCollection).deleteMany({});
});
afterAll(() => store.drop());

const consumerOfLedger = defineConsumer({
  name: 'ledger',
  description: 'A ledger of a test',
  event: defineEvent(EventsCapturedSchema),
  ackWaitMs: 30_000,
  maxAckPending: 64,
  batchSize: 8,
});

/**
 * A capturing replica, a nats-server that the test may stop, and a ledger that counts arrivals by event. With `isPatient`, slow
 * confirmations do not time out, so that nothing is republished from the outbox.
 */
async function world({ isPatient = false } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-outbox-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  let server = await startNatsServer({ dataDirectory: join(folder, '1') });
  onTestFinished(() => server.stop());
  const { log } = captureLog();
  const open = (streams = [eventsStream]) =>
    connectNats({ url: new Secret(server.url), name: 'test', log, streams });
  const nats = await open();
  onTestFinished(() => nats.close());
  const patient = patientNats(nats);
  const streamState: typeof nats.streamState = (event) => patient.streamState(event);
  const stream = createEventStream({ nats: { ...(isPatient ? patient : nats), streamState }, log });
  // Created in the background if the server is slow.
  await stream.state();
  const outbox = createOutboxRepository(store);
  const clock = new ManualClock(new Date('2026-11-22T10:00:00.000Z'));
  const arrivals = new Map<string, number>();
  const traces = new Map<string, string>();
  const ledger = { isAway: false };

  const startLedgerConsumer = async () => {
    const own = await open([]);
    onTestFinished(() => own.close());
    const consumer = own.consume(consumerOfLedger, (batch) => {
      if (ledger.isAway) return Promise.reject(new Error('no database'));
      for (const { id, traceparent } of batch.flatMap(({ message }) => message.events)) {
        arrivals.set(id, (arrivals.get(id) ?? 0) + 1);
        traces.set(id, traceparent);
      }
      return Promise.resolve();
    });
    onTestFinished(() => consumer.close());
  };
  let checkpoint: Checkpoint | undefined;
  /** One round of a confirmer; the clock advances to the next one. */
  const look = async (): Promise<void> => {
    clock.advance(3_000);
    const findMissing = (ids: readonly string[]) => Promise.resolve(ids.filter((id) => !arrivals.has(id)));
    const mayContinue = () => Promise.resolve(true);
    const reportLost = (): void => undefined;
    const deps = { outbox, stream, ledger: { findMissing }, mayContinue, reportLost, clock };
    checkpoint = await confirmEvents(deps, checkpoint);
  };
  const capture = (o: { crashed?: boolean } = {}) => {
    const replica = createCapture({
      outbox,
      stream: o.crashed === true ? { offer: () => undefined } : stream,
      clock,
    });
    return async (count: number): Promise<readonly string[]> => {
      const keys = Array.from({ length: count }, () => `${Math.random()}`);
      const results = await replica.captureFirings(keys.map((firingKey) => firing({ firingKey })));
      return results.map(({ id }) => id);
    };
  };
  return {
    stream,
    arrivals,
    traces,
    ledger,
    startLedgerConsumer,
    look,
    captureHere: capture(),
    /** Simulates a replica that dies between write and publication. */
    captureAndDie: capture({ crashed: true }),
    wipe: async () => {
      await server.stop();
      server = await startNatsServer({ dataDirectory: join(folder, 'wiped'), port: server.port });
    },
    manager: () => streamManager(server.url),
    pending: async () =>
      (
        await store
          .collection(outboxCollection)
          .find({ pendingSince: { $exists: true } })
          .toArray()
      ).flatMap(({ eventIds }) => eventIds).length,
    /** Runs rounds until nothing is pending. */
    untilConfirmed: () =>
      expect
        .poll(
          async () => {
            await look().catch(() => undefined);
            return await store
              .collection(outboxCollection)
              .countDocuments({ pendingSince: { $exists: true } });
          },
          { timeout: 120_000, interval: 100 },
        )
        .toBe(0),
  };
}

test('an event goes to the ledger once, from memory, and is then confirmed', async () => {
  const { captureHere, startLedgerConsumer, stream, arrivals, untilConfirmed } = await world({
    isPatient: true,
  });
  await startLedgerConsumer();
  const ids = await captureHere(200);
  await stream.drain();
  await expect.poll(() => arrivals.size).toBe(200);
  await untilConfirmed();
  expect([...arrivals.keys()].toSorted()).toEqual(ids);
  expect([...arrivals.values()].every((count) => count === 1)).toBe(true);
});

test('a replica that dies between the write and the publication loses nothing', async () => {
  const { captureAndDie, captureHere, startLedgerConsumer, arrivals, untilConfirmed } = await world({
    isPatient: true,
  });
  await startLedgerConsumer();
  const ids = [...(await captureAndDie(150)), ...(await captureHere(50))];
  await untilConfirmed();
  expect([...arrivals.keys()].toSorted()).toEqual(ids.toSorted());
  expect([...arrivals.values()].every((count) => count === 1)).toBe(true);
});

test('an event belongs to the trace of its capture, also if it is published again', async () => {
  onTestFinished(recordSpans().stop);
  const { captureAndDie, captureHere, startLedgerConsumer, traces, untilConfirmed } = await world();
  await startLedgerConsumer();
  const traced = async (capture: typeof captureHere) => {
    const span = startSpan({ name: 'call', kind: 'server' });
    const [id = ''] = await inSpan(span, () => capture(1));
    return [id, span?.headers()['traceparent']] as const;
  };
  const expected = [await traced(captureHere), await traced(captureAndDie)];
  const [untraced = ''] = await captureAndDie(1);
  await untilConfirmed();
  expect(new Map(expected).size).toBe(2);
  expect(traces).toEqual(new Map([...expected, [untraced, '']]));
});

test('a ledger that is behind gets nothing twice, however often the outbox is looked at', async () => {
  const { captureHere, startLedgerConsumer, stream, arrivals, look, pending, untilConfirmed } = await world({
    isPatient: true,
  });
  await captureHere(300);
  await stream.drain();
  const before = await stream.state();
  for (let looks = 0; looks < 400; looks += 1) await look();
  expect(await stream.state()).toEqual(before);
  expect(await pending()).toBe(300);
  await startLedgerConsumer();
  await untilConfirmed();
  expect([...arrivals.values()]).toEqual(Array.from({ length: 300 }, () => 1));
});

test('a stream that is deleted under live connections with all that it held loses nothing', async () => {
  const { captureHere, startLedgerConsumer, stream, arrivals, manager, untilConfirmed, look } = await world();
  const first = await captureHere(100);
  await stream.drain();
  await look();
  const { streams } = await manager();
  await streams.delete(eventsStream.name);
  const ids = [...first, ...(await captureHere(50))];
  await stream.drain();
  await startLedgerConsumer();
  await untilConfirmed();
  expect(arrivals.size).toBe(150);
  expect(ids.every((id) => arrivals.has(id))).toBe(true);
});

test('a NATS that comes back without its data loses nothing', async () => {
  const { captureHere, startLedgerConsumer, stream, arrivals, wipe, look, untilConfirmed } = await world();
  await captureHere(100);
  await stream.drain();
  await look();
  await wipe();
  await startLedgerConsumer();
  await untilConfirmed();
  expect(arrivals.size).toBe(100);
});

test('a full stream slows events down and loses none', async () => {
  const { captureHere, startLedgerConsumer, stream, arrivals, manager, untilConfirmed, look } = await world();
  const { streams } = await manager();
  await streams.update(eventsStream.name, { max_bytes: 64_000 });
  for (let batch = 0; batch < 30; batch += 1) await captureHere(10);
  await stream.drain();
  expect((await stream.state()).messages).toBeLessThan(30);
  await look();
  await startLedgerConsumer();
  await untilConfirmed();
  expect(arrivals.size).toBe(300);
});

test('a ledger that cannot write holds nothing and loses nothing', async () => {
  const { captureHere, startLedgerConsumer, stream, arrivals, ledger, look, untilConfirmed } = await world({
    isPatient: true,
  });
  ledger.isAway = true;
  await startLedgerConsumer();
  await captureHere(100);
  await stream.drain();
  for (let looks = 0; looks < 10; looks += 1) await look();
  expect(arrivals.size).toBe(0);
  ledger.isAway = false;
  await untilConfirmed();
  expect([...arrivals.values()]).toEqual(Array.from({ length: 100 }, () => 1));
});
