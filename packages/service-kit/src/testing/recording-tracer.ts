import { randomBytes } from 'node:crypto';
import { useTracer } from '../telemetry/tracing.ts';
import type { Span, SpanStart } from '../telemetry/tracing.ts';

/** A span in a form for tests. */
export interface RecordedSpan {
  name: string;
  readonly kind: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly attributes: Record<string, string | number | boolean>;
  failure: string | undefined;
  hasEnded: boolean;
}

/** Records this process's spans in a list, in the order of their start, until `stop`. */
export function recordSpans(o: { readonly toVendors?: boolean } = {}): {
  readonly spans: readonly RecordedSpan[];
  readonly stop: () => void;
} {
  const spans: RecordedSpan[] = [];
  const start = (given: SpanStart, parent: Span | undefined): Span => {
    const [, traceId, parentId] =
      (given.remote === undefined ? parent?.headers()['traceparent'] : given.remote('traceparent'))?.split(
        '-',
      ) ?? [];
    const span: RecordedSpan = {
      name: given.name,
      kind: given.kind,
      traceId: traceId ?? randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      parentId,
      attributes: { ...given.attributes },
      failure: undefined,
      hasEnded: false,
    };
    spans.push(span);
    return {
      traceId: span.traceId,
      headers: () => ({ traceparent: `00-${span.traceId}-${span.spanId}-01` }),
      rename: (name) => void (span.name = name),
      set: (name, value) => void (span.attributes[name] = value),
      end(failure) {
        span.failure = failure;
        span.hasEnded = true;
      },
    };
  };
  useTracer({ start }, { toVendors: o.toVendors ?? false });
  return { spans, stop: () => useTracer(undefined, { toVendors: false }) };
}
