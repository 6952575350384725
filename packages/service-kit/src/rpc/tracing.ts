import type { DescMethod } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import type { Interceptor } from '@connectrpc/connect';
import type { CallTrack } from '@fairlead/connect-fast/call-track';
import { ApiError } from '@fairlead/errors/api-error';
import { codeOf } from './errors.ts';
import { recordRpcMade } from '../telemetry/service-metrics.ts';
import { inSpan, isTracing, startSpan } from '../telemetry/tracing.ts';
import type { Span } from '../telemetry/tracing.ts';

/** Codes of server failures; all other codes are regular responses. */
const FAULTS: ReadonlySet<string> = new Set(['INTERNAL', 'UNAVAILABLE', 'TIMEOUT']);

/**
 * Runs each RPC of a server in a child span of the caller's span. It wraps the interceptor that converts errors, so
 * it sees the code on the wire. Probes and reflection (`grpc.…`) are not traced.
 */
export const rpcServerTracing: Interceptor = (next) => async (request) => {
  if (!isTracing() || request.service.typeName.startsWith('grpc.')) return next(request);
  const span = startRpcSpan(request.method, 'server', (name) => request.header.get(name) ?? undefined);
  try {
    const response = await inSpan(span, () => next(request));
    if (response.stream) return { ...response, message: inSpanUntilEnd(response.message, span) };
    endRpcSpan(span, 'server', 'OK');
    return response;
  } catch (error) {
    endRpcSpan(span, 'server', wireCodeOf(error));
    throw error;
  }
};

function inSpanUntilEnd<T>(messages: AsyncIterable<T>, span: Span | undefined): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const it = messages[Symbol.asyncIterator]();
      let hasEnded = false;
      const end = (code: string): void => {
        if (!hasEnded) endRpcSpan(span, 'server', code);
        hasEnded = true;
      };
      return {
        async next() {
          try {
            const read = await inSpan(span, () => it.next());
            if (read.done === true) end('OK');
            return read;
          } catch (error) {
            end(wireCodeOf(error));
            throw error;
          }
        },
        async return() {
          end(CALLER_LEFT);
          return (await it.return?.()) ?? { done: true, value: undefined };
        },
      };
    },
  };
}

function wireCodeOf(error: unknown): string {
  return error instanceof ConnectError ? codeOf(error) : 'INTERNAL';
}

/**
 * Makes an RPC in a span and counts it, by track. `call` gets the trace headers (none if not traced), and throws
 * ApiErrors, which are counted by code.
 */
export async function observeRpcCall<T>(
  method: DescMethod,
  track: CallTrack | undefined,
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
    recordRpcMade(method, code, track?.served ?? 'stable', performance.now() - startedAt);
    endRpcSpan(span, 'client', code);
  }
}

/**
 * Makes a server-streaming RPC in a span that ends with the stream, and counts it then, like observeRpcCall. A reader
 * that stops early is not counted as a failure.
 */
export async function* observeRpcStream<T>(
  method: DescMethod,
  track: CallTrack | undefined,
  open: (traceHeaders: Readonly<Record<string, string>>) => AsyncIterable<T>,
): AsyncGenerator<T, undefined> {
  const startedAt = performance.now();
  const span = startRpcSpan(method, 'client');
  let code = CALLER_LEFT;
  try {
    yield* open(span?.headers() ?? NO_HEADERS);
    code = 'OK';
    return undefined;
  } catch (error) {
    code = error instanceof ApiError ? error.code : 'INTERNAL';
    throw error;
  } finally {
    recordRpcMade(method, code, track?.served ?? 'stable', performance.now() - startedAt);
    endRpcSpan(span, 'client', code);
  }
}

const CALLER_LEFT = 'Canceled';

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
  const isFailure = kind === 'client' ? code !== 'OK' && code !== CALLER_LEFT : FAULTS.has(code);
  span.end(isFailure ? code : undefined);
}
