import { AsyncLocalStorage } from 'node:async_hooks';
import { currentSpan, startSpan, useTracer, vendorHeaders } from '@fairlead/service-kit/telemetry/tracing';
import type { Span, SpanStart } from '@fairlead/service-kit/telemetry/tracing';

/** The trace context that a worker gets with a call. */
export interface CallTrace {
  readonly traceId: string;
  /** Trace headers for requests to vendors. */
  readonly toVendors: Readonly<Record<string, string>>;
}

/** A span of an outbound call that ended in a worker. */
export interface EgressSpan {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Times in milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Empty: none. */
  readonly failure: string;
}

/** Maximum number of spans in one answer. */
export const MAX_EGRESS_SPANS = 100;

/** Service side: the trace context for a call; undefined if it is not traced. */
export function traceOfCall(): CallTrace | undefined {
  const span = currentSpan();
  return span === undefined ? undefined : { traceId: span.traceId, toVendors: vendorHeaders(span) };
}

/** Service side: records the spans of a worker below the current span. */
export function recordEgressSpans(spans: readonly EgressSpan[]): void {
  for (const { name, attributes, startedAt, endedAt, failure } of spans) {
    const span = startSpan({ name, kind: 'client', attributes, startedAt });
    span?.end(failure === '' ? undefined : failure, endedAt);
  }
}

interface TracedCall {
  readonly trace: CallTrace;
  readonly spans: EgressSpan[];
}

const tracedCall = new AsyncLocalStorage<TracedCall>();

/** Worker side, called once: from then on, spans of traced calls are sent to the service instead of exported. */
export function reportEgressSpans(): void {
  const start = (spanStart: SpanStart): Span | undefined => {
    const call = tracedCall.getStore();
    return call === undefined ? undefined : new ReportedSpan(spanStart, call);
  };
  useTracer({ start }, { toVendors: true });
}

/** Worker side: runs a call; `spans` are those that end during the call. */
export async function withEgressSpans<T>(
  trace: CallTrace | undefined,
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly spans: readonly EgressSpan[] }> {
  if (trace === undefined) return { result: await run(), spans: [] };
  const spans: EgressSpan[] = [];
  const result = await tracedCall.run({ trace, spans }, run);
  return { result, spans: [...spans] };
}

class ReportedSpan implements Span {
  readonly #call: TracedCall;
  readonly #attributes: Record<string, string | number | boolean>;
  readonly #startedAt = Date.now();
  #name: string;

  constructor({ name, attributes }: SpanStart, call: TracedCall) {
    this.#name = name;
    this.#attributes = { ...attributes };
    this.#call = call;
  }

  get traceId(): string {
    return this.#call.trace.traceId;
  }

  /** The vendor sees the service's span as the parent. */
  headers(): Readonly<Record<string, string>> {
    return this.#call.trace.toVendors;
  }

  rename(name: string): void {
    this.#name = name;
  }

  set(name: string, value: string | number | boolean): void {
    this.#attributes[name] = value;
  }

  end(failure = ''): void {
    if (this.#call.spans.length >= MAX_EGRESS_SPANS) return;
    this.#call.spans.push({
      name: this.#name,
      attributes: this.#attributes,
      startedAt: this.#startedAt,
      endedAt: Date.now(),
      failure,
    });
  }
}
