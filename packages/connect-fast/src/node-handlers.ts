import type { ConnectRouter, Interceptor } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { createUnaryFastPath, recordUnaryMethods } from './unary-fast-path.ts';
import type { FastPath, GatedCall, UnaryMethods } from './unary-fast-path.ts';

/** The same RPC methods behind two handlers. */
export interface NodeHandlers {
  /** Serves Connect, gRPC and gRPC-Web; throws if the Host header is missing or does not form a URL. */
  readonly handler: ReturnType<typeof connectNodeAdapter>;
  /** Serves our own client; must be tried first on an HTTP/1.1 port. */
  readonly fastPath: FastPath;
}

/**
 * Creates request handlers for the methods that `routes` registers. `gate` sees each call before its body is read,
 * and refuses it by throwing. `interceptors` run around each method in both handlers.
 */
export function createNodeHandlers(o: {
  readonly routes: (router: ConnectRouter) => void;
  readonly gate: (call: GatedCall) => void;
  readonly interceptors: readonly Interceptor[];
  readonly readMaxBytes: number;
  readonly writeMaxBytes: number;
}): NodeHandlers {
  let methods: UnaryMethods['specs'] = new Map();
  const handler = connectNodeAdapter({
    routes(router) {
      const recording = recordUnaryMethods(router);
      o.routes(recording.router);
      methods = recording.specs;
    },
    requestGate: o.gate,
    interceptors: [...o.interceptors],
    readMaxBytes: o.readMaxBytes,
    writeMaxBytes: o.writeMaxBytes,
  });
  return { handler, fastPath: createUnaryFastPath(methods, o) };
}
