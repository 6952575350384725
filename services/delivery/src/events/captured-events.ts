import { timestampDate } from '@bufbuild/protobuf/wkt';
import { EventsCapturedSchema } from '@fairlead/contracts/triggers/v1/event_pb';
import type { CapturedEvent as EventMessage } from '@fairlead/contracts/triggers/v1/event_pb';
import { createBatcher } from '@fairlead/service-kit/batch/batcher';
import type { BatchLimits } from '@fairlead/service-kit/batch/batcher';
import type { Clock } from '@fairlead/service-kit/clock';
import type { StreamConsumer } from '@fairlead/service-kit/nats/consumer';
import { defineConsumer } from '@fairlead/service-kit/nats/consumer';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { CapturedEvent } from '../domain/event.ts';

/** Limits of events being recorded. All replicas together have few, so that a dying replica delays few; each has at most two batches. */
const capturedEvents = defineConsumer({
  name: 'delivery',
  description: 'Takes captured trigger events to the ledger of the delivery service',
  event: defineEvent(EventsCapturedSchema),
  ackWaitMs: 30_000,
  maxAckPending: 64,
  batchSize: 8,
  fewMessages: 3,
});

/**
 * Few events are recorded as they arrive. With many, each write takes the events of some milliseconds, because a write costs as much as
 * several events.
 */
const LIMITS: BatchLimits = {
  itemsPerBatch: 512,
  bytesPerBatch: 2 * 1024 * 1024,
  waitingItems: 1_024,
  waitingBytes: 4 * 1024 * 1024,
  batches: 3,
  slowMs: Number.POSITIVE_INFINITY,
  fewItems: 3,
  rest: { ms: 40, afterItems: 24 },
};

const streamLag = registry.histogram({
  name: 'delivery_stream_lag_seconds',
  help: 'Delay between the capture of an event and its storage in the ledger.',
  labels: [],
  buckets: [0.01, 0.05, 0.25, 1, 5, 30, 300, 3_600],
});

/**
 * Takes captured events to the ledger. Events that arrive while others are recorded are recorded together, and acknowledged once they are
 * durable. An event may arrive more than once. A malformed event is not recorded; its outbox keeps it.
 */
export function consumeCapturedEvents(o: {
  readonly nats: Nats;
  readonly recordEvents: (events: readonly CapturedEvent[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}): StreamConsumer {
  const records = createBatcher<CapturedEvent, undefined>({
    limits: LIMITS,
    async process(events) {
      await o.recordEvents(events);
      return events.map(() => ({ status: 'done', value: undefined }));
    },
  });
  return o.nats.consume(capturedEvents, async (batch) => {
    const sent = batch.reduce((sum, { message }) => sum + message.events.length, 0);
    const events = batch.flatMap(({ message }) => message.events.flatMap(fromEventMessage));
    if (events.length < sent)
      o.log.error({ count: sent - events.length }, 'captured events arrived without their times');
    await Promise.all(
      // No limit of its own: the consumer limits what waits.
      events.map((event) => records.add(event, { bytes: event.body.length, isUrgent: true })),
    );
    const now = o.clock.now().getTime();
    for (const { capturedAt } of events)
      streamLag.series().observe(Math.max(0, now - capturedAt.getTime()) / 1000);
  });
}

function fromEventMessage({
  $typeName: _type,
  $unknown: _unknown,
  occurredAt,
  capturedAt,
  traceparent,
  ...event
}: EventMessage): readonly CapturedEvent[] {
  if (occurredAt === undefined || capturedAt === undefined) return [];
  const times = { occurredAt: timestampDate(occurredAt), capturedAt: timestampDate(capturedAt) };
  return [{ ...event, ...times, traceparent: traceparent || undefined }];
}
