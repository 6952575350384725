import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Attempt, Event } from '@fairlead/contracts/delivery/v1/event_pb';
import { z } from 'zod';
import { lazyValue, timestamp } from '@fairlead/rest-kit/fields';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { ATTEMPT_STATES, EVENT_DELIVERIES, nameOf, namesOf } from './enums.ts';
import { presentOptionalTime, presentTime, required } from './values.ts';

const bodyMembers = {
  id: z.string().describe('`te_…`; sorts by the time of the capture.'),
  type: z.string().describe('The slug of the trigger type.'),
  trigger_id: z.string(),
  occurred_at: timestamp,
  payload: lazyValue.describe(
    'Described by the trigger type’s `payloadSchema`; a string if it was truncated.',
  ),
  payload_truncated: z
    .boolean()
    .describe('Whether `payload` is the first 256 KiB of the JSON text of a larger payload, as a string.'),
  payload_hash: z
    .string()
    .describe('`sha256:` and the hex digest of the whole payload’s JSON text as it was captured.'),
} as const;

/** The body that receivers get. */
export const eventBody = z.strictObject(bodyMembers).meta({ id: 'EventBody' });

export const eventRecord = z
  .strictObject({
    ...bodyMembers,
    delivery: z
      .enum(namesOf(EVENT_DELIVERIES))
      .describe(
        'Over all destinations: `pending` if an attempt is due at any of them, else `dead_lettered` if it failed for good at any, else `held` if it was older than 24 hours when a destination was enabled again, else `delivered`; `none` without a destination.',
      ),
    created_at: timestamp.describe('When it was captured.'),
    updated_at: timestamp.describe('When its latest attempt was queued, or it was captured.'),
  })
  .meta({ id: 'Event' });

const attemptRecord = z
  .strictObject({
    attempt: z.int32().describe('From 1; each destination has its own numbers.'),
    state: z
      .enum(namesOf(ATTEMPT_STATES))
      .describe('`failed`: another attempt followed; `dead_lettered`: none follows by itself.'),
    destination: z.string().describe('The id of the destination.'),
    status_code: z.int32().nullable().describe('Null without a response.'),
    error: z
      .string()
      .nullable()
      .describe(
        'A short code, such as `timeout`, `connection_refused` or `http_404`; null if it was delivered.',
      ),
    duration_ms: z.int32().nullable().describe('Null while it is pending.'),
    next_attempt_at: timestamp
      .nullable()
      .describe(
        'When a pending attempt is due; null while its destination is disabled, and once it was made.',
      ),
    created_at: timestamp.describe('When it was queued.'),
  })
  .meta({ id: 'DeliveryAttempt' });

/** An event with all of its attempts. */
export const eventDetail = z
  .strictObject({ event: eventRecord, attempts: z.array(attemptRecord) })
  .meta({ id: 'EventDetail' });

interface Detail {
  readonly event?: Event | undefined;
  readonly attempts: readonly Attempt[];
}

/** An event with all of its attempts. */
export function presentEventDetail(detail: Detail): z.output<typeof eventDetail> {
  return { event: presentEvent(required(detail.event)), attempts: detail.attempts.map(presentAttempt) };
}

/** An event. Its JSON contains the payload byte for byte. */
export function presentEvent(event: Event): z.output<typeof eventRecord> {
  return {
    id: event.id,
    type: event.triggerType,
    trigger_id: event.triggerId,
    delivery: nameOf(EVENT_DELIVERIES, event.delivery),
    occurred_at: presentTime(event.occurredAt),
    payload_truncated: event.payloadTruncated,
    payload_hash: event.payloadHash,
    created_at: presentTime(event.capturedAt),
    updated_at: presentTime(event.updatedAt),
    payload: new LazyJson(payloadOf(event)),
  };
}

/**
 * The JSON text of an event's payload, cut out of the body, whose other members are known. Parsing a page of large
 * payloads would take longer than the rest, and change numbers that JavaScript cannot represent.
 */
function payloadOf(event: Event): Uint8Array {
  const { id, triggerType: type, triggerId: trigger_id, body } = event;
  const occurred_at = timestampDate(required(event.occurredAt)).toISOString();
  const before = Buffer.from(
    `${JSON.stringify({ id, type, trigger_id, occurred_at }).slice(0, -1)},"payload":`,
  );
  const rest = { payload_truncated: event.payloadTruncated, payload_hash: event.payloadHash };
  const behind = Buffer.from(`,${JSON.stringify(rest).slice(1)}`);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const end = bytes.length - behind.length;
  const isKnown =
    end > before.length &&
    bytes.subarray(0, before.length).equals(before) &&
    bytes.subarray(end).equals(behind);
  if (isKnown) return bytes.subarray(before.length, end);
  return Buffer.from(JSON.stringify(payloadIn(bytes)));
}

function payloadIn(body: Buffer): unknown {
  const parsed: unknown = JSON.parse(body.toString());
  return typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'payload') : undefined;
}

function presentAttempt(attempt: Attempt): z.output<typeof attemptRecord> {
  return {
    attempt: attempt.attempt,
    state: nameOf(ATTEMPT_STATES, attempt.state),
    destination: attempt.destinationId,
    status_code: attempt.statusCode ?? null,
    error: attempt.error ?? null,
    duration_ms: attempt.durationMs ?? null,
    next_attempt_at: presentOptionalTime(attempt.nextAttemptAt),
    created_at: presentTime(attempt.createdAt),
  };
}
