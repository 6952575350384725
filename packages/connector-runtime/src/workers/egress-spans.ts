import { AsyncLocalStorage } from 'node:async_hooks';
import { currentSpan, startSpan, useTracer, vendorHeaders } from '@fairlead/service-kit/telemetry/tracing';
import type { Span, SpanStart } from '@fairlead/service-kit/telemetry/tracing';

/** The part of a call's trace that a worker needs. */
export interface CallTrace {
  readonly traceId: string;
  /** The trace headers that vendors may see. */
  readonly toVendors: Readonly<Record<string, string>>;
}

/** A span of an outbound call that ended in a worker. */
export interface EgressSpan {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Empty: none. */
  readonly failure: string;
}

/** The most spans that one answer reports. */
export const MAX_EGRESS_SPANS = 100;

/** For the service: what to give to a call; undefined if nothing is traced. */
export function traceOfCall(): CallTrace | undefined {
  const span = currentSpan();
  return span === undefined ? undefined : { traceId: span.traceId, toVendors: vendorHeaders(span) };
}

/** For the service: records spans that a worker reported, below the current span. */
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

/** For a worker, once: from now on, the spans of a traced call are reported instead of exported. */
export function reportEgressSpans(): void {
  const start = (given: SpanStart): Span | undefined => {
    const call = tracedCall.getStore();
    return call === undefined ? undefined : new ReportedSpan(given, call);
  };
  useTracer({ start }, { toVendors: true });
}

/** For a worker: runs a call; `spans` are those that end before it does. */
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

  /** Vendors see the service's span as the parent. */
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
