import { createHash } from 'node:crypto';

/** Something that happened, of which a trigger tells. */
export interface Firing {
  readonly accountId: string;
  readonly triggerId: string;
  /** The slug of the trigger's type. */
  readonly triggerType: string;
  /** The trigger's destinations, each once. */
  readonly destinationIds: readonly string[];
  readonly occurredAt: Date;
  /** JSON in UTF-8, of any size. */
  readonly payload: Uint8Array;
  /** Identifies the firing among those of its trigger: one that arrives again has the same key. */
  readonly firingKey: string;
  /** The W3C trace context of what caused it; absent or empty: that of its capture. */
  readonly traceparent?: string | undefined;
}

/** One firing as it was captured. It never changes. */
export interface CapturedEvent {
  /** te_ and 22 characters that sort by the time of capture. */
  readonly id: string;
  readonly accountId: string;
  readonly triggerId: string;
  readonly triggerType: string;
  readonly destinationIds: readonly string[];
  readonly occurredAt: Date;
  readonly capturedAt: Date;
  /** The exact bytes that receivers get, on every attempt. */
  readonly body: Uint8Array;
  readonly payloadTruncated: boolean;
  /** `sha256:` and the hex digest of the whole payload. */
  readonly payloadHash: string;
  readonly firingKey: string;
  /** The W3C trace context of its capture; absent: it was not traced. */
  readonly traceparent?: string;
}

/** The most bytes of a payload's JSON text that an event carries. */
export const PAYLOAD_BYTES = 256 * 1024;

/**
 * The event of a firing, with its body. The payload goes into the body as it is, never parsed, so that numbers of any length
 * survive. If it is larger than 256 KiB, the first 256 KiB of the JSON text go in as a string, cut between characters.
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

/** The first PAYLOAD_BYTES of a text, without the character that they would cut. */
function beginningOf(payload: Uint8Array): string {
  let end = PAYLOAD_BYTES;
  // The bytes of a character after its first are 10xxxxxx.
  while (((payload[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return Buffer.from(payload.subarray(0, end)).toString('utf8');
}
