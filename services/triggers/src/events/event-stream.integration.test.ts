import { EventsCapturedSchema } from '@fairlead/contracts/triggers/v1/event_pb';
import type { EventsCaptured } from '@fairlead/contracts/triggers/v1/event_pb';
import { startNatsServer } from '@fairlead/local-stores/nats-server';
import { defineConsumer } from '@fairlead/service-kit/nats/consumer';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import { Secret } from '@fairlead/service-kit/secret';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { patientNats } from '@fairlead/service-kit/testing/patient-nats';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { capturedEvent } from '../testing/firings.ts';
import { createEventStream, eventsStream } from './event-stream.ts';

const LONG = { timeout: 90_000 };

/** An own nats-server, because the stream has a fixed name; and a consumer of the stream. */
async function world() {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'fairlead-test-events-'));
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }));
  const server = await startNatsServer({ dataDirectory });
  onTestFinished(() => server.stop());
  const { log, lines } = captureLog();
  const nats = await connectNats({ url: new Secret(server.url), name: 'test', log, streams: [eventsStream] });
  onTestFinished(() => nats.close());
  const received: EventsCaptured[] = [];
  const consumer = nats.consume(
    defineConsumer({
      name: 'test',
      description: 'A test',
      event: defineEvent(EventsCapturedSchema),
      ackWaitMs: 30_000,
      maxAckPending: 64,
      batchSize: 8,
    }),
    (batch) => Promise.resolve(void received.push(...batch.map(({ message }) => message))),
  );
  onTestFinished(() => consumer.close());
  const patient = createEventStream({ nats: patientNats(nats), log });
  return { server, stream: createEventStream({ nats, log }), patient, received, lines };
}

test('events arrive as they were captured, at most 64 or 256 KiB a message, and a larger one alone', async () => {
  const { patient: stream, received } = await world();
  const payloadOf = (bytes: number) => ({ payload: Buffer.from(JSON.stringify('"'.repeat(bytes))) });
  const small = Array.from({ length: 130 }, (_, at) => capturedEvent(`te_${at}`));
  const large = [
    capturedEvent('te_large_1', payloadOf(50_000)),
    capturedEvent('te_large_2', payloadOf(50_000)),
    capturedEvent('te_large_3', payloadOf(50_000)),
    // Truncated, and every character of its text is escaped again.
    capturedEvent('te_huge', payloadOf(1_000_000)),
  ];
  const events = [...small, ...large];
  await stream.publish(events);
  await expect.poll(() => received.flatMap((message) => message.events).length, LONG).toBe(events.length);
  const ids = received.map((message) => message.events.map(({ id }) => id));
  expect(ids.map(({ length }) => length)).toEqual([64, 64, 4, 1, 1]);
  expect(ids.slice(2)).toEqual([
    ['te_128', 'te_129', 'te_large_1', 'te_large_2'],
    ['te_large_3'],
    ['te_huge'],
  ]);
  const bodies = received.flatMap((message) => message.events.map(({ body }) => Buffer.from(body)));
  expect(bodies.every((body, at) => body.equals(events[at]?.body ?? new Uint8Array()))).toBe(true);
  expect(received[0]?.events[0]).toMatchObject({
    id: 'te_0',
    accountId: 'acc_1',
    triggerId: 'trg_1',
    triggerType: 'http_webhook',
    occurredAt: { seconds: 1_795_341_600n },
    capturedAt: { seconds: 1_795_341_601n },
    payloadTruncated: false,
    payloadHash: events[0]?.payloadHash,
    destinationIds: ['dst_1'],
    firingKey: 'te_0',
  });
  await expect.poll(() => stream.state()).toMatchObject({ messages: 0, firstSequence: 6, lastSequence: 5 });
});

test('an offer fails nobody: what NATS does not take is logged once and left to the outbox', async () => {
  const { server, stream, patient, received, lines } = await world();
  await patient.state();
  stream.offer([capturedEvent('te_1')]);
  await stream.drain();
  await expect.poll(() => received.length, LONG).toBe(1);
  await server.stop();
  stream.offer([capturedEvent('te_2')]);
  await stream.drain();
  stream.offer([capturedEvent('te_3')]);
  await stream.drain();
  await expect(stream.publish([capturedEvent('te_4')])).rejects.toThrow('NATS');
  await expect(stream.state()).rejects.toThrow('NATS');
  const text = 'could not publish captured events; they stay in the outbox';
  expect(lines().filter(({ msg }) => msg === text)).toHaveLength(1);
});
