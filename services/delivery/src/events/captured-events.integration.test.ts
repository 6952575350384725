import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { EventsCapturedSchema } from '@fairlead/contracts/triggers/v1/event_pb';
import { startNatsServer } from '@fairlead/local-stores/nats-server';
import { systemClock } from '@fairlead/service-kit/clock';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import { defineStream } from '@fairlead/service-kit/nats/streams';
import { Secret } from '@fairlead/service-kit/secret';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { patientNats } from '@fairlead/service-kit/testing/patient-nats';
import { expect, onTestFinished, test } from 'vitest';
import type { CapturedEvent } from '../domain/event.ts';
import { consumeCapturedEvents } from './captured-events.ts';

const eventsCaptured = defineEvent(EventsCapturedSchema);
const OCCURRED_AT = new Date('2026-11-22T10:00:00.123Z');
const CAPTURED_AT = new Date('2026-11-22T10:00:01.456Z');
const LONG = { timeout: 90_000 };

/** An own nats-server, because the consumer has a fixed name; with the stream as its owner declares it. */
async function open() {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'fairlead-test-captured-'));
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }));
  const server = await startNatsServer({ dataDirectory });
  onTestFinished(() => server.stop());
  const stream = defineStream({
    name: 'TRIGGER_EVENTS',
    description: 'As the triggers service declares it',
    events: [eventsCaptured],
    retention: 'work-queue',
    discard: 'new',
    maxAgeMs: undefined,
    maxBytes: 10_000_000,
    duplicateWindowMs: 60_000,
  });
  const { log, lines } = captureLog();
  const nats = await connectNats({ url: new Secret(server.url), name: 'test', log, streams: [stream] });
  onTestFinished(() => nats.close());
  return { nats: patientNats(nats), log, lines };
}

const messageOf = (id: string, body: Uint8Array<ArrayBuffer>) => ({
  id,
  accountId: 'acc_1',
  triggerId: 'trg_1',
  triggerType: 'http_webhook',
  occurredAt: timestampFromDate(OCCURRED_AT),
  capturedAt: timestampFromDate(CAPTURED_AT),
  body,
  payloadTruncated: false,
  payloadHash: 'sha256:0',
  destinationIds: ['dst_1', 'dst_2'],
  firingKey: 'k',
});

test('events are recorded as they were captured, byte by byte, and leave the stream once they are durable', async () => {
  const { nats, log, lines } = await open();
  const recorded: CapturedEvent[] = [];
  let isAway = true;
  const recordEvents = (events: readonly CapturedEvent[]): Promise<void> => {
    if (isAway) return Promise.reject(new Error('no database'));
    recorded.push(...events);
    return Promise.resolve();
  };
  const consumer = consumeCapturedEvents({ nats, recordEvents, clock: systemClock, log });
  onTestFinished(() => consumer.close());
  const body = new Uint8Array(Buffer.from('{"n":12345678901234567890,"t":"é"}'));
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const captured = { events: [{ ...messageOf('te_1', body), traceparent }, messageOf('te_2', body)] };
  await nats.publishToStream(eventsCaptured, captured);
  await nats.publishToStream(eventsCaptured, {
    events: [{ ...messageOf('te_0', body), capturedAt: undefined }, messageOf('te_3', body)],
  });
  expect(await nats.streamState(eventsCaptured)).toMatchObject({ messages: 2 });
  isAway = false;
  await expect.poll(() => recorded.map(({ id }) => id).toSorted(), LONG).toEqual(['te_1', 'te_2', 'te_3']);
  expect(recorded.filter((event) => event.traceparent === traceparent).map(({ id }) => id)).toEqual(['te_1']);
  const { body: received, ...first } = recorded.find(({ id }) => id === 'te_1') ?? { body: new Uint8Array() };
  expect(Buffer.from(received).equals(body)).toBe(true);
  expect(first).toEqual({
    id: 'te_1',
    traceparent,
    accountId: 'acc_1',
    triggerId: 'trg_1',
    triggerType: 'http_webhook',
    occurredAt: OCCURRED_AT,
    capturedAt: CAPTURED_AT,
    payloadTruncated: false,
    payloadHash: 'sha256:0',
    destinationIds: ['dst_1', 'dst_2'],
    firingKey: 'k',
  });
  await expect.poll(() => nats.streamState(eventsCaptured)).toMatchObject({ messages: 0 });
  expect(registry.render()).toMatch(/^delivery_stream_lag_seconds_count [1-9]\d*$/m);
  expect(lines().map(({ msg }) => msg)).toContain('captured events arrived without their times');
});
