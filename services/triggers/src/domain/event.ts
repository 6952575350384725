import { createHash } from 'node:crypto';

/** A firing of a trigger, to be captured. */
export interface Firing {
  readonly accountId: string;
  readonly triggerId: string;
  /** Slug of the trigger's type. */
  readonly triggerType: string;
  /** The trigger's destinations, without duplicates. */
  readonly destinationIds: readonly string[];
  readonly occurredAt: Date;
  /** JSON in UTF-8, of any size. */
  readonly payload: Uint8Array;
  /** Identifies the firing within its trigger: a repeated firing has the same key. */
  readonly firingKey: string;
  /** W3C trace context of the cause; absent or empty: the trace of its capture is used. */
  readonly traceparent?: string | undefined;
}

/** A captured firing. It never changes. */
export interface CapturedEvent {
  /** te_ and 22 characters that sort by time of capture. */
  readonly id: string;
  readonly accountId: string;
  readonly triggerId: string;
  readonly triggerType: string;
  readonly destinationIds: readonly string[];
  readonly occurredAt: Date;
  readonly capturedAt: Date;
  /** The exact bytes that receivers get in every attempt. */
  readonly body: Uint8Array;
  readonly payloadTruncated: boolean;
  /** `sha256:` and the hexadecimal digest of the complete payload. */
  readonly payloadHash: string;
  readonly firingKey: string;
  /** W3C trace context of its capture; absent: not traced. */
  readonly traceparent?: string;
}

/** Largest payload of an event, in bytes of JSON. */
export const PAYLOAD_BYTES = 256 * 1024;

/**
 * Creates the event of a firing with its body. The payload is copied into the body without parsing, so that long numbers survive. If it is
 * larger than 256 KiB, the first 256 KiB of its JSON text become a string, cut at a character boundary.
 */
export function composeEvent(firing: Firing, id: string, capturedAt: Date): CapturedEvent {
  const { payload, triggerId, triggerType, occurredAt } = firing;
  const payloadTruncated = payload.length > PAYLOAD_BYTES;
  const payloadHash = `sha256:${createHash('sha256').update(payload).digest('hex')}`;
  const head = { id, type: triggerType, trigger_id: triggerId, occurred_at: occurredAt };
  const tail = { payload_truncated: payloadTruncated, payload_hash: payloadHash };
  const body = Buffer.concat([
    Buffer.from(`${JSON.stringify(head).slice(0, -1)},"payload":`),
    payloadTruncated ? Buffer.from(JSON.stringify(beginningOf(payload))) : payload,
    Buffer.from(`,${JSON.stringify(tail).slice(1)}`),
  ]);
  const { accountId, destinationIds, firingKey } = firing;
  const same = { accountId, triggerId, triggerType, destinationIds, occurredAt, firingKey };
  return { id, ...same, capturedAt, body, payloadTruncated, payloadHash };
}

/** The first PAYLOAD_BYTES of a text, without a partial character at the end. */
function beginningOf(payload: Uint8Array): string {
  let end = PAYLOAD_BYTES;
  // In UTF-8, continuation bytes are 10xxxxxx.
  while (((payload[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return Buffer.from(payload.subarray(0, end)).toString('utf8');
}
