import type { DescMethod, DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, createContextKey } from '@connectrpc/connect';
import type { HandlerContext, Interceptor } from '@connectrpc/connect';
import type { GatedCall } from '@fairlead/connect-fast/unary-fast-path';
import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '../clock.ts';
import type { KeyRing } from '../key-ring.ts';
import { createCallerVerifier } from '../context/caller-tokens.ts';
import type { Caller } from '../context/caller.ts';
import { CALLER_HEADER } from '../context/caller-token.ts';
import { REQUEST_ID_HEADER, confinementOf, createRequestContext } from '../context/context.ts';
import type { RequestContext } from '../context/context.ts';
import { uuidv7 } from '../ids.ts';
import type { Logger } from '../telemetry/logger.ts';
import { codeOf, toConnectError } from './errors.ts';
import { recordRpcServed } from '../telemetry/service-metrics.ts';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

// The kinds of callers that every RPC accepts, unless its own code accepts fewer: RPCs that need a user refuse the
// other two, and the platform's own RPCs refuse all but `service`. A client without a credential is only accepted by
// methods that a server opens to it.
const SERVED_KINDS: ReadonlySet<Caller['kind']> = new Set([
  'user',
  'service',
  'serviceForAccount',
  'anonymousClient',
]);

/** The facts about an RPC that are logged. */
interface Call {
  readonly context: RequestContext | undefined;
  settle(error?: unknown): ConnectError | undefined;
}

const callKey = createContextKey<Call | undefined>(undefined, { description: 'fairlead call' });

/** The context of the request that an RPC method serves. */
export function requestContext(h: HandlerContext): RequestContext {
  const context = h.values.get(callKey)?.context;
  if (context === undefined) throw new ApiError('UNAUTHORIZED', 'The caller context is missing.');
  return context;
}

/**
 * Admits an RPC before its body is read: takes or creates the request id, verifies the caller context (except for the
 * services in `open`), and stores the RequestContext for `requestContext`.
 */
export function createCallerGate(o: {
  /** The name of this service. */
  readonly audience: string;
  readonly keys: KeyRing;
  readonly clock: Clock;
  readonly log: Logger;
  readonly open: ReadonlySet<DescService>;
  /** The methods that a caller confined to a toolset may call; others are FORBIDDEN. */
  readonly openToConfined: ReadonlySet<DescMethod>;
  /** The methods that a client without a credential may call; others are FORBIDDEN. */
  readonly openToAnonymous: ReadonlySet<DescMethod>;
}): (call: GatedCall) => void {
  const verify = createCallerVerifier(o);
  return (h) => {
    const header = h.requestHeader.get(REQUEST_ID_HEADER);
    const requestId = header !== null && REQUEST_ID.test(header) ? header : uuidv7();
    h.responseHeader.set(REQUEST_ID_HEADER, requestId);
    const isOpen = o.open.has(h.service);
    const settle = createSettle(h.method, requestId, o.log, isOpen);
    try {
      const context = isOpen ? undefined : buildContext(h, requestId, { ...o, verify });
      h.values.set(callKey, { context, settle });
    } catch (error) {
      throw settle(error) ?? error;
    }
  };
}

function buildContext(
  h: GatedCall,
  requestId: string,
  o: {
    readonly verify: ReturnType<typeof createCallerVerifier>;
    readonly clock: Clock;
    readonly log: Logger;
    readonly openToConfined: ReadonlySet<DescMethod>;
    readonly openToAnonymous: ReadonlySet<DescMethod>;
  },
): RequestContext {
  const { caller, canaries } = o.verify(h.requestHeader.get(CALLER_HEADER) ?? '', o.clock.now());
  if (!SERVED_KINDS.has(caller.kind))
    throw new ApiError('UNAUTHORIZED', `This operation does not accept callers of the kind ${caller.kind}.`);
  // A proxy between the gateway and this service may resolve `..` in a client's path, which could then name an RPC.
  if (caller.kind === 'service' && caller.clientAddress !== undefined)
    throw new ApiError('UNAUTHORIZED', 'A request of a client that is passed on is not an RPC.');
  if (confinementOf({ caller }) !== undefined && !o.openToConfined.has(h.method))
    throw new ApiError('FORBIDDEN', 'The API key is confined to a toolset, and this is outside of it.');
  if (caller.kind === 'anonymousClient' && !o.openToAnonymous.has(h.method))
    throw new ApiError(
      'FORBIDDEN',
      'This needs a credential, which the client of the MCP server does not have.',
    );
  const timeoutMs = h.timeoutMs();
  return createRequestContext({
    requestId,
    caller,
    signal: h.signal,
    deadline: timeoutMs === undefined ? undefined : new Date(Date.now() + timeoutMs),
    log: o.log,
    canaries,
  });
}

/** Writes a call's log line and returns the error for the wire. */
function createSettle(method: DescMethod, requestId: string, log: Logger, isOpen: boolean): Call['settle'] {
  const startedAt = performance.now();
  return (error) => {
    const wireError = error === undefined ? undefined : toConnectError(error);
    const code = wireError === undefined ? 'OK' : codeOf(wireError);
    const durationMs = performance.now() - startedAt;
    recordRpcServed(method, code, durationMs);
    const line = {
      rpc: `${method.parent.typeName}/${method.name}`,
      code,
      durationMs: Math.round(durationMs * 10) / 10,
      requestId,
    };
    if (code === 'INTERNAL') log.error({ ...line, err: error }, 'rpc');
    else if (code === 'UNAVAILABLE' || code === 'TIMEOUT') log.warn({ ...line, err: error }, 'rpc');
    // Not logged, because probes come every second.
    else if (isOpen) log.debug(line, 'rpc');
    else log.info(line, 'rpc');
    return wireError;
  };
}

/**
 * Completes each admitted RPC: one log line, errors converted for the wire, and a response when the deadline passes
 * even if the method ignores it.
 */
export const rpcInterceptor: Interceptor = (next) => async (request) => {
  const call = request.contextValues.get(callKey);
  if (call === undefined) throw new ConnectError('The RPC was not admitted.', Code.Internal);
  try {
    if (request.stream) {
      const response = await next(request);
      return response.stream
        ? { ...response, message: settleAtEnd(response.message, call, request.signal) }
        : response;
    }
    const response = await Promise.race([next(request), rejectOnAbort(request.signal)]);
    call.settle();
    return response;
  } catch (error) {
    throw call.settle(error) ?? error;
  }
};

/**
 * Passes messages on. Completes the call when they end, when the method fails, when the caller leaves or when the
 * deadline passes, even if the method ignores that.
 */
function settleAtEnd<T>(messages: AsyncIterable<T>, call: Call, signal: AbortSignal): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const it = messages[Symbol.asyncIterator]();
      let isSettled = false;
      let rejectRead: ((error: unknown) => void) | undefined;
      const settle = (error?: unknown): unknown => {
        if (isSettled) return error;
        isSettled = true;
        signal.removeEventListener('abort', onAbort);
        return call.settle(error) ?? error;
      };
      const onAbort = (): void => {
        const reason: unknown = signal.reason;
        const isDeadline = reason instanceof ConnectError && reason.code === Code.DeadlineExceeded;
        const wireError = settle(isDeadline ? reason : callerIsGone());
        rejectRead?.(wireError);
      };
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
      return {
        async next() {
          if (isSettled) return { done: true, value: undefined };
          try {
            const read = await new Promise<IteratorResult<T>>((resolve, reject) => {
              rejectRead = reject;
              it.next().then(resolve, reject);
            });
            if (read.done === true) settle();
            return read;
          } catch (error) {
            throw settle(error);
          }
        },
        return() {
          settle(callerIsGone());
          // A waiting method only notices the return when its wait ends, which its signal requests.
          it.return?.().catch(() => undefined);
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    },
  };
}

function callerIsGone(): ConnectError {
  return new ConnectError('The caller is gone.', Code.Canceled);
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(toError(signal.reason));
    if (signal.aborted) abort();
    // An RPC's signal aborts at its end, which removes the listener.
    else signal.addEventListener('abort', abort, { once: true });
  });
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : callerIsGone();
}
