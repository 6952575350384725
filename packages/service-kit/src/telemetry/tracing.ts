import { AsyncLocalStorage } from 'node:async_hooks';

/** A span: one piece of work in a trace. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The trace headers for the next process: `traceparent`, and `tracestate` if there is one. */
  headers(): Readonly<Record<string, string>>;
  /** Sets the final name. Names have few values: a route's template, never its path. */
  rename(name: string): void;
  /** Adds an attribute. Never a secret, a query string or a body; the only ids are requestId and accountId. */
  set(name: string, value: string | number | boolean): void;
  /** Ends the span, now or at `endedAt`; `failure` is the kind of failure, one of few values. */
  end(failure?: string, endedAt?: number): void;
}

/** The initial data of a span. */
export interface SpanStart {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'consumer';
  readonly attributes?: Readonly<Record<string, string | number | boolean>>;
  /** Start, in milliseconds since 1970; absent: now. */
  readonly startedAt?: number;
  /** Reads the headers of a remote parent; absent: the parent is the current span. */
  readonly remote?: (header: string) => string | undefined;
}

/** Creates spans and exports them. */
export interface Tracer {
  /** Starts a span; undefined: the current work is not traced. */
  start(o: SpanStart, parent: Span | undefined): Span | undefined;
}

// The process's tracer; one, because a process is one service. While it is undefined, every function here costs one
// comparison.
let tracer: Tracer | undefined;
let isSharedWithVendors = false;
const active = new AsyncLocalStorage<Span>();

/** Starts or stops tracing. `toVendors`: whether calls to applications carry `traceparent` too. */
export function useTracer(next: Tracer | undefined, o: { readonly toVendors: boolean }): void {
  if (next !== undefined && tracer !== undefined) throw new Error('This process is already traced.');
  tracer = next;
  isSharedWithVendors = next !== undefined && o.toVendors;
}

/** Whether this process is traced. */
export function isTracing(): boolean {
  return tracer !== undefined;
}

/** Starts a span, as a child of the remote parent or else of the current span. Undefined: nothing is traced. */
export function startSpan(o: SpanStart): Span | undefined {
  return tracer?.start(o, o.remote === undefined ? active.getStore() : undefined);
}

/** Runs `f`, and everything that it awaits, inside the span. */
export function inSpan<T>(span: Span | undefined, f: () => T): T {
  return span === undefined ? f() : active.run(span, f);
}

/** Runs `f` outside of any span, because it begins work that outlives the current span and also serves others. */
export function outsideSpan<T>(f: () => T): T {
  return tracer === undefined ? f() : active.exit(f);
}

export function currentSpan(): Span | undefined {
  return tracer === undefined ? undefined : active.getStore();
}

/** The trace headers of a call to an application: none, unless the operator chose otherwise. */
export function vendorHeaders(span: Span | undefined): Readonly<Record<string, string>> {
  const traceparent = isSharedWithVendors ? span?.headers()['traceparent'] : undefined;
  return traceparent === undefined ? {} : { traceparent };
}

/** The trace fields of a log line; a new object each time, as pino requires. */
export function traceFields(): { traceId?: string } {
  const span = currentSpan();
  return span === undefined ? {} : { traceId: span.traceId };
}
