import type {
  DescMethod,
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { trackValues } from '@fairlead/connect-fast/call-track';
import type { CallTrack } from '@fairlead/connect-fast/call-track';
import { ApiError } from '@fairlead/errors/api-error';
import { chooseTrack } from '../canary/peer-canaries.ts';
import type { TrackChoice } from '../canary/peer-canaries.ts';
import type { Clock } from '../clock.ts';
import type { KeyRing } from '../key-ring.ts';
import { createCallerSigner } from '../context/caller-tokens.ts';
import { CALLER_HEADER } from '../context/caller-token.ts';
import { REQUEST_ID_HEADER } from '../context/context.ts';
import type { RequestContext } from '../context/context.ts';
import { fromConnectError } from './errors.ts';
import type { RpcPeer } from './peer.ts';
import { observeRpcCall, observeRpcStream } from './tracing.ts';

/** The unary and server-streaming methods of a service, each called with its request's context. */
export type RpcClient<S extends DescService> = {
  readonly [
    P in keyof S['method'] as S['method'][P] extends DescMethodUnary | DescMethodServerStreaming ? P : never
  ]: S['method'][P] extends DescMethodUnary<infer I, infer O>
    ? (ctx: RequestContext, request: MessageInitShape<I>, options?: CallOptions) => Promise<MessageShape<O>>
    : S['method'][P] extends DescMethodServerStreaming<infer I, infer O>
      ? (
          ctx: RequestContext,
          request: MessageInitShape<I>,
          options?: CallOptions,
        ) => AsyncIterable<MessageShape<O>>
      : never;
};

interface CallOptions {
  readonly timeoutMs?: number;
}

/** The called service, and the keys for signing callers. */
export interface RpcClientOptions {
  readonly peer: RpcPeer;
  readonly callerKeys: KeyRing;
  readonly clock: Clock;
  readonly defaultTimeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;
// Maximum timeout; a longer one overflows Node's timers.
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Creates a client of another Fairlead service. Each call carries the signed caller, the request id and a deadline:
 * `timeoutMs` (default 30 s) or the context's deadline, whichever comes first. It throws only ApiError: the service's
 * own; UNAVAILABLE if the service is unreachable or its connection broke; TIMEOUT if the deadline passed. A
 * server-streaming method is called when its messages are first read, once per iteration, and cancelled at the
 * service when reading stops early.
 */
export function createRpcClient<S extends DescService>(service: S, o: RpcClientOptions): RpcClient<S> {
  const { transport, canaries } = o.peer;
  const sign = createCallerSigner({ audience: o.peer.service, keys: o.callerKeys });
  const headersOf = (ctx: RequestContext, chosen: TrackChoice) => ({
    [CALLER_HEADER]: sign(ctx.caller, o.clock.now(), chosen.canaries),
    [REQUEST_ID_HEADER]: ctx.requestId,
  });
  const timeoutOf = (ctx: RequestContext, { timeoutMs }: CallOptions) =>
    remainingMs(ctx, timeoutMs ?? o.defaultTimeoutMs ?? DEFAULT_TIMEOUT_MS);
  const client: Record<string, unknown> = {};
  for (const method of service.methods) {
    if (isUnary(method)) {
      client[method.localName] = async (
        ctx: RequestContext,
        request: MessageInitShape<typeof method.input>,
        options: CallOptions = {},
      ) => {
        const timeoutMs = timeoutOf(ctx, options);
        const chosen = chooseTrack(canaries, ctx);
        const header = headersOf(ctx, chosen);
        const track = callTrackOf(chosen);
        return observeRpcCall(method, track, async (trace) => {
          const headers = { ...header, ...trace };
          const values = track && trackValues(track);
          try {
            return (await transport.unary(method, ctx.signal, timeoutMs, headers, request, values)).message;
          } catch (error) {
            throw fromConnectError(error);
          }
        });
      };
    } else if (isServerStreaming(method)) {
      client[method.localName] = (
        ctx: RequestContext,
        request: MessageInitShape<typeof method.input>,
        options: CallOptions = {},
      ) =>
        cancelledAtReturn(ctx.signal, (signal) => {
          const chosen = chooseTrack(canaries, ctx);
          const track = callTrackOf(chosen);
          return observeRpcStream(method, track, async function* (trace) {
            const timeoutMs = timeoutOf(ctx, options);
            const header = { ...headersOf(ctx, chosen), ...trace };
            const values = track && trackValues(track);
            const messages = only(request);
            try {
              const stream = await transport.stream(method, signal, timeoutMs, header, messages, values);
              yield* stream.message;
            } catch (error) {
              throw fromConnectError(error);
            }
          });
        });
    }
  }
  // The loop creates exactly the members of the mapped type, which TypeScript cannot verify.
  return client as RpcClient<S>;
}

function callTrackOf({ track }: TrackChoice): CallTrack | undefined {
  return track === 'stable' ? undefined : { wanted: track, served: track };
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === 'unary';
}

function isServerStreaming(method: DescMethod): method is DescMethodServerStreaming {
  return method.methodKind === 'server_streaming';
}

/** The request of a server-streaming method; it can be read again for another address. */
function only<T>(request: T): AsyncIterable<T> {
  return {
    async *[Symbol.asyncIterator]() {
      yield await Promise.resolve(request);
    },
  };
}

/**
 * The messages of `open`, which gets a signal that aborts when `outer` does or when reading stops early, even during
 * a read, which then ends without an error.
 */
function cancelledAtReturn<T>(
  outer: AbortSignal,
  open: (signal: AbortSignal) => AsyncGenerator<T, undefined>,
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const call = new AbortController();
      const abort = (): void => call.abort(outer.reason);
      outer.addEventListener('abort', abort);
      if (outer.aborted) abort();
      const messages = open(call.signal);
      let hasLeft = false;
      return {
        async next() {
          try {
            const read = await messages.next();
            if (read.done === true) outer.removeEventListener('abort', abort);
            return read;
          } catch (error) {
            outer.removeEventListener('abort', abort);
            if (hasLeft) return { done: true, value: undefined };
            throw error;
          }
        },
        async return() {
          hasLeft = true;
          outer.removeEventListener('abort', abort);
          call.abort(new ConnectError('The reader of the stream stopped.', Code.Canceled));
          await messages.return(undefined);
          return { done: true, value: undefined };
        },
      };
    },
  };
}

function remainingMs(ctx: RequestContext, timeoutMs: number): number {
  if (ctx.deadline === undefined) return Math.min(timeoutMs, LONGEST_TIMEOUT_MS);
  const leftMs = ctx.deadline.getTime() - Date.now();
  // A timeout of 0 would mean none.
  if (leftMs <= 0) throw new ApiError('TIMEOUT', 'The request took too long.');
  return Math.min(timeoutMs, leftMs, LONGEST_TIMEOUT_MS);
}
