import { createBatcher } from '@fairlead/service-kit/batch/batcher';
import type { BatchLimits, ItemResult } from '@fairlead/service-kit/batch/batcher';
import type { Clock } from '@fairlead/service-kit/clock';
import { prefixedId } from '@fairlead/service-kit/ids';
import { currentSpan } from '@fairlead/service-kit/telemetry/tracing';
import { composeEvent } from '../domain/event.ts';
import type { CapturedEvent, Firing } from '../domain/event.ts';
import type { EventStream } from '../ports/event-stream.ts';
import type { CaptureResult, Outbox } from '../ports/outbox.ts';

interface CaptureDeps {
  readonly outbox: Pick<Outbox, 'insert'>;
  readonly stream: Pick<EventStream, 'offer'>;
  readonly clock: Clock;
}

/** Captures firings. */
export interface Capture {
  /**
   * Stores all firings durably and resolves with their events. A firing with a key that its trigger has had in the last 24 hours resolves
   * with the earlier event. RATE_LIMIT_EXCEEDED, with nothing captured, if too many wait; after any other error some may be captured.
   */
  captureFirings(firings: readonly Firing[]): Promise<readonly CaptureResult[]>;
  /** Resolves once nothing waits. For shutdown. */
  drain(): Promise<void>;
}

/** An item is a call, usually with one firing. */
const LIMITS: BatchLimits = {
  itemsPerBatch: 500,
  bytesPerBatch: 4 * 1024 * 1024,
  waitingItems: 5_000,
  waitingBytes: 32 * 1024 * 1024,
  batches: 4,
  slowMs: 100,
  fewItems: 3,
};
/** Approximate size of an event without its body. */
const EVENT_BYTES = 512;

/**
 * Captures by group commit: one write is in progress, and firings that arrive meanwhile go into the next. New events are offered to the
 * stream directly from memory.
 */
export function createCapture({ outbox, stream, clock }: CaptureDeps): Capture {
  const inserts = createBatcher<readonly CapturedEvent[], readonly CaptureResult[]>({
    limits: LIMITS,
    async process(calls) {
      const events = calls.flat();
      const results = await outbox.insert(events);
      stream.offer(events.filter((_, at) => isNew(results[at])));
      let from = 0;
      return calls.map((call) => together(results.slice(from, (from += call.length))));
    },
  });
  return {
    async captureFirings(firings) {
      if (firings.length === 0) return [];
      const ofCapture = currentSpan()?.headers()['traceparent'];
      const events = firings.map((firing) => {
        const traceparent = firing.traceparent || ofCapture;
        return {
          ...composeEvent(firing, prefixedId('te'), clock.now()),
          ...(traceparent !== undefined && { traceparent }),
        };
      });
      const bytes = events.reduce((sum, { body }) => sum + body.length + EVENT_BYTES, 0);
      return await inserts.add(events, { bytes });
    },
    drain: () => inserts.drain(),
  };
}

function isNew(result: ItemResult<CaptureResult> | undefined): boolean {
  return result?.status === 'done' && result.value.isNew;
}

/** The results of one call, which fails if one of its events fails. */
function together(results: readonly ItemResult<CaptureResult>[]): ItemResult<readonly CaptureResult[]> {
  const value: CaptureResult[] = [];
  for (const result of results) {
    if (result.status === 'failed') return result;
    value.push(result.value);
  }
  return { status: 'done', value };
}
