import { Agent } from 'node:http';
import type {
  DescMethod,
  DescMethodUnary,
  DescService,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from './clock.ts';
import { CALLER_HEADER, REQUEST_ID_HEADER, signCaller } from './context.ts';
import type { RequestContext } from './context.ts';
import { fromConnectError } from './rpc-errors.ts';
import type { Secret } from './secret.ts';

/** The unary methods of a service, each called with the context of the request on whose behalf it is made. */
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

const DEFAULT_TIMEOUT_MS = 30_000;
// A tool's output may be 1 MiB and a body 5 MiB; JSON as protobuf is never three times as large.
const MESSAGE_LIMIT_BYTES = 16 * 1024 * 1024;

/**
 * A client of another Fairlead service. Each call carries the signed caller, the request id and a deadline: the least
 * of `timeoutMs` (default 30 s) and what is left of the context's own. It throws ApiError only: the service's own;
 * UNAVAILABLE when the service is away or its connection broke; TIMEOUT when the deadline passed.
 */
export function createRpcClient<S extends DescService>(
  service: S,
  o: {
    readonly baseUrl: string;
    readonly callerKey: Secret;
    readonly clock: Clock;
    readonly defaultTimeoutMs?: number;
  },
): RpcClient<S> {
  const transport = createTransport(o.baseUrl);
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
        [CALLER_HEADER]: signCaller(ctx.caller, o.callerKey, o.clock.now()),
        [REQUEST_ID_HEADER]: ctx.requestId,
      };
      try {
        return (await transport.unary(method, ctx.signal, timeoutMs, header, request)).message;
      } catch (error) {
        throw fromConnectError(error);
      }
    };
  }
  // The loop above makes exactly the members that the mapped type names, which TypeScript cannot follow.
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

function createTransport(baseUrl: string): Transport {
  return createConnectTransport({
    baseUrl,
    httpVersion: '1.1',
    nodeOptions: { agent: new Agent({ keepAlive: true }) },
    useBinaryFormat: true,
    // Services stand next to each other: compressing costs more than it saves.
    acceptCompression: [],
    readMaxBytes: MESSAGE_LIMIT_BYTES,
    writeMaxBytes: MESSAGE_LIMIT_BYTES,
  });
}
