import type {
  DescMethod,
  DescMethodUnary,
  DescService,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '../clock.ts';
import type { KeyRing } from '../key-ring.ts';
import { createCallerSigner } from '../context/caller-tokens.ts';
import { CALLER_HEADER } from '../context/caller-token.ts';
import { REQUEST_ID_HEADER } from '../context/context.ts';
import type { RequestContext } from '../context/context.ts';
import { fromConnectError } from './errors.ts';
import type { RpcPeer } from './peer.ts';
import { observeRpcCall } from './tracing.ts';

/** The unary methods of a service, each called with the context of the request that it belongs to. */
export type RpcClient<S extends DescService> = {
  readonly [
    P in keyof S['method'] as S['method'][P] extends DescMethodUnary ? P : never
  ]: S['method'][P] extends DescMethodUnary<infer I, infer O>
    ? (
        ctx: RequestContext,
        request: MessageInitShape<I>,
        options?: { readonly timeoutMs?: number },
      ) => Promise<MessageShape<O>>
    : never;
};

/** The service that a client calls, and the keys that sign for it. */
export interface RpcClientOptions {
  readonly peer: RpcPeer;
  readonly callerKeys: KeyRing;
  readonly clock: Clock;
  readonly defaultTimeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * A client of another Fairlead service. Each call carries the signed caller, the request id and a deadline: `timeoutMs`
 * (default 30 s) or the context's deadline, whichever comes first. It throws only ApiError: the service's own;
 * UNAVAILABLE when the service is unreachable or its connection broke; TIMEOUT when the deadline passed.
 */
export function createRpcClient<S extends DescService>(service: S, o: RpcClientOptions): RpcClient<S> {
  const { transport } = o.peer;
  const sign = createCallerSigner({ audience: o.peer.service, keys: o.callerKeys });
  const client: Record<string, unknown> = {};
  for (const method of service.methods) {
    if (!isUnary(method)) continue;
    client[method.localName] = async (
      ctx: RequestContext,
      request: MessageInitShape<typeof method.input>,
      options: { readonly timeoutMs?: number } = {},
    ) => {
      const timeoutMs = remainingMs(ctx, options.timeoutMs ?? o.defaultTimeoutMs ?? DEFAULT_TIMEOUT_MS);
      const header = {
        [CALLER_HEADER]: sign(ctx.caller, o.clock.now()),
        [REQUEST_ID_HEADER]: ctx.requestId,
      };
      return observeRpcCall(method, async (trace) => {
        try {
          return (await transport.unary(method, ctx.signal, timeoutMs, { ...header, ...trace }, request))
            .message;
        } catch (error) {
          throw fromConnectError(error);
        }
      });
    };
  }
  // The loop above creates exactly the members that the mapped type names, which TypeScript cannot verify.
  return client as RpcClient<S>;
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === 'unary';
}

function remainingMs(ctx: RequestContext, timeoutMs: number): number {
  if (ctx.deadline === undefined) return timeoutMs;
  const leftMs = ctx.deadline.getTime() - Date.now();
  // A timeout of 0 would mean none.
  if (leftMs <= 0) throw new ApiError('TIMEOUT', 'The request took too long.');
  return Math.min(timeoutMs, leftMs);
}
