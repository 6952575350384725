import { setTimeout as delay } from 'node:timers/promises';
import { CallFailure } from '../failure.ts';
import { EventStream } from './event-stream.ts';
import type { StreamEvent } from './event-stream.ts';

/** Maximum bytes of an event, or of a whole body. */
const MAX_BYTES = 1024 * 1024;
/** Bytes per second at which a stream is read, after a burst of MAX_BYTES. Meanwhile the server has to wait. */
const BYTES_PER_SECOND = 64 * 1024;
/** Bytes that each event and each piece counts in addition, because even tiny ones cost processor time. */
const HANDLING_BYTES = 256;

/**
 * The events of a possibly endless stream. Throws CallFailure for an event above MAX_BYTES, and the signal's reason
 * when it aborts.
 */
export async function* pacedEvents(
  body: AsyncIterable<Uint8Array>,
  { signal, measure }: { readonly signal: AbortSignal; readonly measure: <T>(work: () => T) => T },
): AsyncGenerator<StreamEvent> {
  const events = new EventStream();
  const decoder = new TextDecoder();
  let pendingBytes = 0;
  let allowance = MAX_BYTES;
  let readAt = performance.now();
  for await (const chunk of body) {
    const found = measure(() => events.push(decoder.decode(chunk, { stream: true })));
    pendingBytes = found.length > 0 ? chunk.byteLength : pendingBytes + chunk.byteLength;
    if (pendingBytes > MAX_BYTES) throw tooLarge();
    yield* found;
    const now = performance.now();
    const earned = ((now - readAt) / 1_000) * BYTES_PER_SECOND;
    readAt = now;
    const cost = chunk.byteLength + (1 + found.length) * HANDLING_BYTES;
    allowance = Math.min(MAX_BYTES, allowance + earned) - cost;
    if (allowance < 0) await delay((-allowance / BYTES_PER_SECOND) * 1_000, undefined, { signal });
  }
}

/** The text of a body. Throws CallFailure above MAX_BYTES. */
export async function textWithin(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tooLarge(): CallFailure {
  return new CallFailure('The MCP server sent an event that is larger than 1 MiB.');
}
