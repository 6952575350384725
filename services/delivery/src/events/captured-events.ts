import { timestampDate } from '@bufbuild/protobuf/wkt';
import { EventsCapturedSchema } from '@fairlead/contracts/triggers/v1/event_pb';
import type { CapturedEvent as EventMessage } from '@fairlead/contracts/triggers/v1/event_pb';
import type { StreamConsumer } from '@fairlead/service-kit/nats/consumer';
import { defineConsumer } from '@fairlead/service-kit/nats/consumer';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { CapturedEvent } from '../domain/event.ts';

/**
 * Events on their way to the ledger. What all replicas hold at once is small, so that a replica that dies delays little;
 * each holds two batches at most.
 */
const capturedEvents = defineConsumer({
  name: 'delivery',
  description: 'Takes captured trigger events to the ledger of the delivery service',
  event: defineEvent(EventsCapturedSchema),
  ackWaitMs: 30_000,
  maxAckPending: 64,
  batchSize: 8,
});

/**
 * Takes captured events to the ledger: those that arrived while the previous ones were recorded are recorded together, and
 * acknowledged once they are durable. An event may arrive more than once. One that is not whole is left to its outbox.
 */
export function consumeCapturedEvents(o: {
  readonly nats: Nats;
  readonly recordEvents: (events: readonly CapturedEvent[]) => Promise<void>;
  readonly log: Logger;
}): StreamConsumer {
  return o.nats.consume(capturedEvents, async (batch) => {
    const messages = batch.flatMap(({ message }) => message.events);
    const events = messages.flatMap(fromEventMessage);
    if (events.length < messages.length)
      o.log.error({ count: messages.length - events.length }, 'captured events arrived without their times');
    await o.recordEvents(events);
  });
}

function fromEventMessage({ occurredAt, capturedAt, ...event }: EventMessage): readonly CapturedEvent[] {
  if (occurredAt === undefined || capturedAt === undefined) return [];
  return [{ ...event, occurredAt: timestampDate(occurredAt), capturedAt: timestampDate(capturedAt) }];
}
