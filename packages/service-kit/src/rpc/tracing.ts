import type { DescMethod } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import type { Interceptor } from '@connectrpc/connect';
import { ApiError } from '@fairlead/errors/api-error';
import { codeOf } from './errors.ts';
import { recordRpcMade } from '../telemetry/service-metrics.ts';
import { inSpan, isTracing, startSpan } from '../telemetry/tracing.ts';
import type { Span } from '../telemetry/tracing.ts';

/** Failures of the server; every other code is a regular response. */
const FAULTS: ReadonlySet<string> = new Set(['INTERNAL', 'UNAVAILABLE', 'TIMEOUT']);

/**
 * Runs each RPC that a server answers in a child span of the caller's. It wraps the interceptor that
 * translates errors, so that it sees the code on the wire. Probes and reflection (`grpc.…`) are not traced.
 */
export const rpcServerTracing: Interceptor = (next) => async (request) => {
  if (!isTracing() || request.service.typeName.startsWith('grpc.')) return next(request);
  const span = startRpcSpan(request.method, 'server', (name) => request.header.get(name) ?? undefined);
  try {
    const response = await inSpan(span, () => next(request));
    endRpcSpan(span, 'server', 'OK');
    return response;
  } catch (error) {
    endRpcSpan(span, 'server', error instanceof ConnectError ? codeOf(error) : 'INTERNAL');
    throw error;
  }
};

/**
 * Makes one RPC in a span and counts it. `call` gets the headers that carry the trace (none if nothing is traced)
 * and throws ApiErrors, which are counted by their code.
 */
export async function observeRpcCall<T>(
  method: DescMethod,
  call: (traceHeaders: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const span = startRpcSpan(method, 'client');
  let code = 'OK';
  try {
    return await inSpan(span, () => call(span?.headers() ?? NO_HEADERS));
  } catch (error) {
    code = error instanceof ApiError ? error.code : 'INTERNAL';
    throw error;
  } finally {
    recordRpcMade(method, code, performance.now() - startedAt);
    endRpcSpan(span, 'client', code);
  }
}

const NO_HEADERS: Readonly<Record<string, string>> = {};

function startRpcSpan(
  method: DescMethod,
  kind: 'server' | 'client',
  remote?: (header: string) => string | undefined,
): Span | undefined {
  if (!isTracing()) return undefined;
  const rpcMethod = `${method.parent.typeName}/${method.name}`;
  return startSpan({
    name: rpcMethod,
    kind,
    attributes: { 'rpc.system.name': 'connectrpc', 'rpc.method': rpcMethod },
    ...(remote !== undefined && { remote }),
  });
}

function endRpcSpan(span: Span | undefined, kind: 'server' | 'client', code: string): void {
  if (span === undefined) return;
  span.set('rpc.response.status_code', code);
  span.end(code !== 'OK' && (kind === 'client' || FAULTS.has(code)) ? code : undefined);
}
