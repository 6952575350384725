import type { Egress, EgressRequest, EgressResponse } from './egress.ts';
import { EgressError } from './error.ts';
import { recordEgress } from '@fairlead/service-kit/telemetry/service-metrics';
import { inSpan, isTracing, startSpan, vendorHeaders } from '@fairlead/service-kit/telemetry/tracing';
import type { Span } from '@fairlead/service-kit/telemetry/tracing';

/**
 * Wraps an egress: counts each call by its outcome and, if the process is traced, records a span with method, host, port
 * and status. Paths, query strings, headers and bodies are not recorded, because they hold tenants' data.
 */
export function observeEgress(egress: Egress): Egress {
  return {
    request: (request) => observeRequest(egress, request),
    createFetch: (destination) => {
      const fetch = egress.createFetch(destination);
      return (input, init) => observeFetch(fetch, input, init);
    },
    openSocket: (host, port, signal) =>
      observe(
        'socket',
        () => startSpan({ name: 'connect', kind: 'client', attributes: place(host, port) }),
        () => egress.openSocket(host, port, signal),
        () => 'connected',
      ),
    close: () => egress.close(),
  };
}

function observeRequest(egress: Egress, request: EgressRequest): Promise<EgressResponse> {
  return observe(
    'http',
    () => startHttpSpan(request.method, request.url),
    (span) =>
      egress.request(
        span === undefined
          ? request
          : { ...request, headers: { ...request.headers, ...vendorHeaders(span) } },
      ),
    ({ status }, span) => settleStatus(status, span),
  );
}

/** The span ends with the response headers, because the body may stream for hours. */
function observeFetch(
  fetch: typeof globalThis.fetch,
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<Response> {
  const isRequest = input instanceof Request;
  const method = init?.method ?? (isRequest ? input.method : 'GET');
  return observe(
    'http',
    () => startHttpSpan(method, isRequest ? input.url : input),
    (span) => fetch(input, withVendorHeaders(input, init, span)),
    ({ status }, span) => settleStatus(status, span),
  );
}

function withVendorHeaders(
  input: string | URL | Request,
  init: RequestInit | undefined,
  span: Span | undefined,
): RequestInit | undefined {
  const added = Object.entries(vendorHeaders(span));
  if (added.length === 0) return init;
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
  for (const [name, value] of added) headers.set(name, value);
  return { ...init, headers };
}

async function observe<T>(
  kind: 'http' | 'socket',
  start: () => Span | undefined,
  call: (span: Span | undefined) => Promise<T>,
  outcomeOf: (result: T, span: Span | undefined) => string,
): Promise<T> {
  const startedAt = performance.now();
  const span = isTracing() ? start() : undefined;
  let outcome: string;
  try {
    const result = await inSpan(span, () => call(span));
    outcome = outcomeOf(result, span);
    span?.end(outcome === '4xx' || outcome === '5xx' ? outcome : undefined);
    recordEgress(kind, outcome, performance.now() - startedAt);
    return result;
  } catch (error) {
    // The reason of the caller's own signal is rethrown unchanged.
    outcome = error instanceof EgressError ? error.code : 'aborted';
    span?.end(outcome);
    recordEgress(kind, outcome, performance.now() - startedAt);
    throw error;
  }
}

function settleStatus(status: number, span: Span | undefined): string {
  span?.set('http.response.status_code', status);
  return `${Math.floor(status / 100)}xx`;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function startHttpSpan(method: string, url: string | URL): Span | undefined {
  const parsed = URL.parse(String(url));
  const known = METHODS.has(method.toUpperCase()) ? method.toUpperCase() : 'HTTP';
  return startSpan({
    name: known,
    kind: 'client',
    attributes: {
      'http.request.method': known,
      ...(parsed !== null && place(parsed.hostname, Number(parsed.port) || defaultPort(parsed.protocol))),
    },
  });
}

function defaultPort(protocol: string): number {
  return protocol === 'http:' ? 80 : 443;
}

function place(host: string, port: number): Readonly<Record<string, string | number>> {
  return { 'server.address': host, 'server.port': port };
}
