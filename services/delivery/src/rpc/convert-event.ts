import { create } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import {
  AttemptSchema,
  AttemptState as AttemptStateMessage,
  EventDelivery as DeliveryMessage,
  EventSchema,
} from '@fairlead/contracts/delivery/v1/event_pb';
import type {
  Attempt as AttemptMessage,
  Event as EventMessage,
} from '@fairlead/contracts/delivery/v1/event_pb';
import type {
  EventFilter as FilterMessage,
  ListEventsRequest as ListMessage,
  ReplayEventsRequest as ReplayMessage,
} from '@fairlead/contracts/delivery/v1/event_service_pb';
import { validationError } from '@fairlead/errors/api-error';
import { readPage } from '@fairlead/service-kit/page';
import type { Attempt } from '../domain/attempt.ts';
import { lastQueuedAt } from '../domain/attempt.ts';
import type { EventDelivery } from '../domain/event-delivery.ts';
import { eventDeliveryOf } from '../domain/event-delivery.ts';
import type { EventFilter, ReplayFilter } from '../domain/event-filter.ts';
import type { EventView } from '../ports/event-store.ts';
import type { EventDetail } from '../use-cases/get-event.ts';
import type { ListEventsRequest } from '../use-cases/list-events.ts';

const DELIVERIES: Readonly<Record<EventDelivery, DeliveryMessage>> = {
  pending: DeliveryMessage.PENDING,
  deadLettered: DeliveryMessage.DEAD_LETTERED,
  held: DeliveryMessage.HELD,
  delivered: DeliveryMessage.DELIVERED,
  none: DeliveryMessage.NONE,
};

const ATTEMPT_STATES: Readonly<Record<Attempt['state'], AttemptStateMessage>> = {
  pending: AttemptStateMessage.PENDING,
  delivered: AttemptStateMessage.DELIVERED,
  failed: AttemptStateMessage.FAILED,
  deadLettered: AttemptStateMessage.DEAD_LETTERED,
};

/** The requested list; VALIDATION_ERROR for a page out of range. */
export function fromListRequest({ page, filter, after }: ListMessage): ListEventsRequest {
  return { page: readPage(page), filter: fromFilter(filter), after };
}

/** The filter of a bulk replay; VALIDATION_ERROR without a start time. */
export function fromReplayRequest(message: ReplayMessage): ReplayFilter {
  const { from, ...filter } = fromFilter(message.filter);
  if (from === undefined) throw validationError({ field: 'from', issue: 'is required' });
  return { ...filter, from };
}

/** Encodes an event. */
export function toEvent({ event, deliveries }: EventView): EventMessage {
  const { occurredAt, capturedAt, body, destinationIds, ...rest } = event;
  // A delivery is stored together with its event, but may become visible a little later.
  const stateAt = new Map(deliveries.map(({ destinationId, state }) => [destinationId, state]));
  const states = destinationIds.map((id) => stateAt.get(id) ?? 'pending');
  return create(EventSchema, {
    ...rest,
    occurredAt: timestampFromDate(occurredAt),
    capturedAt: timestampFromDate(capturedAt),
    // Not a copy: protobuf-es only requires a type for unshared memory.
    body: new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength),
    delivery: DELIVERIES[eventDeliveryOf(states)],
    updatedAt: timestampFromDate(lastQueuedAt(deliveries, capturedAt)),
  });
}

/** Encodes an event with its attempts. */
export function toEventDetail({ view, attempts }: EventDetail): {
  event: EventMessage;
  attempts: AttemptMessage[];
} {
  return { event: toEvent(view), attempts: attempts.map(toAttempt) };
}

function toAttempt({ attempt, state, destinationId, ...made }: Attempt): AttemptMessage {
  const { statusCode, error, durationMs, nextAttemptAt, createdAt } = made;
  return create(AttemptSchema, {
    attempt,
    state: ATTEMPT_STATES[state],
    destinationId,
    ...(statusCode !== null && { statusCode }),
    ...(error !== null && { error }),
    ...(durationMs !== null && { durationMs }),
    ...(nextAttemptAt !== null && { nextAttemptAt: timestampFromDate(nextAttemptAt) }),
    createdAt: timestampFromDate(createdAt),
  });
}

function fromFilter(message: FilterMessage | undefined): EventFilter {
  if (message === undefined) return {};
  const { triggerId, destinationId } = message;
  const delivery = fromDelivery(message.delivery);
  const [from, to] = [timeOf('from', message.from), timeOf('to', message.to)];
  return {
    ...(triggerId !== undefined && { triggerId }),
    ...(destinationId !== undefined && { destinationId }),
    ...(delivery !== undefined && { delivery }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

function fromDelivery(message: DeliveryMessage): EventDelivery | undefined {
  switch (message) {
    case DeliveryMessage.UNSPECIFIED:
      return undefined;
    case DeliveryMessage.PENDING:
      return 'pending';
    case DeliveryMessage.DEAD_LETTERED:
      return 'deadLettered';
    case DeliveryMessage.HELD:
      return 'held';
    case DeliveryMessage.DELIVERED:
      return 'delivered';
    case DeliveryMessage.NONE:
      return 'none';
  }
}

function timeOf(field: string, timestamp: Timestamp | undefined): Date | undefined {
  if (timestamp === undefined) return undefined;
  const date = timestampDate(timestamp);
  if (Number.isNaN(date.getTime())) throw validationError({ field, issue: 'must be a valid time' });
  return date;
}
