import type { IncomingMessage } from 'node:http';
import { recordHttpRequest } from '../telemetry/service-metrics.ts';
import { startSpan } from '../telemetry/tracing.ts';
import type { Span } from '../telemetry/tracing.ts';

/** A finished request, for log, metrics and trace. */
export interface RequestFacts {
  readonly method: string;
  /** Template of the route; the path itself may hold a secret and is never recorded. */
  readonly route: string | undefined;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string;
  readonly accountId: string | undefined;
}

/** Starts a request's span, as a child of the span in its `traceparent`. Undefined: not traced. */
export function startRequestSpan(request: IncomingMessage): Span | undefined {
  return startSpan({
    name: request.method ?? 'HTTP',
    kind: 'server',
    remote: (header) => {
      const value = request.headers[header];
      return typeof value === 'string' ? value : undefined;
    },
  });
}

/** Counts a finished request and ends its span. */
export function settleRequest(facts: RequestFacts, span: Span | undefined): void {
  recordHttpRequest(facts.method, facts.route, facts.status, facts.durationMs);
  if (span === undefined) return;
  if (facts.route !== undefined) {
    span.rename(`${facts.method} ${facts.route}`);
    span.set('http.route', facts.route);
  }
  span.set('http.request.method', facts.method);
  span.set('http.response.status_code', facts.status);
  span.set('fairlead.request_id', facts.requestId);
  if (facts.accountId !== undefined) span.set('fairlead.account_id', facts.accountId);
  span.end(facts.status >= 500 ? String(facts.status) : undefined);
}
