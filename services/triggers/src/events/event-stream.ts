import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { EventsCapturedSchema } from '@fairlead/contracts/triggers/v1/event_pb';
import type { CapturedEventSchema } from '@fairlead/contracts/triggers/v1/event_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import { defineStream } from '@fairlead/service-kit/nats/streams';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import { divideEvents } from '../domain/event-groups.ts';
import type { CapturedEvent } from '../domain/event.ts';
import type { EventStream } from '../ports/event-stream.ts';

const eventsCaptured = defineEvent(EventsCapturedSchema);

/** The stream that carries captured events to the ledger. When it is full, events wait in the outbox. */
export const eventsStream = defineStream({
  name: 'TRIGGER_EVENTS',
  description: 'Captured trigger events until the ledger of the delivery service has them',
  events: [eventsCaptured],
  retention: 'work-queue',
  discard: 'new',
  maxAgeMs: undefined,
  maxBytes: 1024 * 1024 * 1024,
  duplicateWindowMs: 10 * 60_000,
});

/** Maximum bytes of published but unconfirmed events; further ones stay in the outbox. */
const OFFERED_BYTES = 32 * 1024 * 1024;

const published = registry.counter({
  name: 'trigger_events_published_total',
  help: 'Captured events, by whether the stream stored them at once or they were left to the outbox.',
  labels: ['outcome'],
});

/** An event stream with a shutdown. */
export interface NatsEventStream extends EventStream {
  /** Resolves once no event is being published. For shutdown. */
  drain(): Promise<void>;
}

/** The stream of captured events in NATS. */
export function createEventStream({
  nats,
  log,
}: {
  readonly nats: Nats;
  readonly log: Logger;
}): NatsEventStream {
  const offered = new Set<Promise<void>>();
  let offeredBytes = 0;
  let isFailing = false;

  async function publish(events: readonly CapturedEvent[]): Promise<void> {
    await Promise.all(
      divideEvents(events).map((message) =>
        nats.publishToStream(eventsCaptured, { events: message.map(encodeEvent) }),
      ),
    );
  }
  async function offer(events: readonly CapturedEvent[], bytes: number): Promise<void> {
    offeredBytes += bytes;
    try {
      await publish(events);
      published.series('stored').add(events.length);
      if (isFailing) log.info('captured events are published again');
      isFailing = false;
    } catch (error) {
      published.series('left').add(events.length);
      if (!isFailing) log.warn({ err: error }, 'could not publish captured events; they stay in the outbox');
      isFailing = true;
    } finally {
      offeredBytes -= bytes;
    }
  }

  return {
    offer(events) {
      if (events.length === 0) return;
      const bytes = events.reduce((sum, { body }) => sum + body.length, 0);
      if (offeredBytes > 0 && offeredBytes + bytes > OFFERED_BYTES) {
        published.series('left').add(events.length);
        return;
      }
      const sending = offer(events, bytes).finally(() => offered.delete(sending));
      offered.add(sending);
    },
    publish,
    state: () => nats.streamState(eventsCaptured),
    async drain() {
      await Promise.all(offered);
    },
  };
}

function encodeEvent(event: CapturedEvent): MessageInitShape<typeof CapturedEventSchema> {
  const { occurredAt, capturedAt, body, destinationIds, ...same } = event;
  return {
    ...same,
    // The contract's arrays are mutable and own their bytes.
    destinationIds: [...destinationIds],
    body: new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength),
    occurredAt: timestampFromDate(occurredAt),
    capturedAt: timestampFromDate(capturedAt),
  };
}
