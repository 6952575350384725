import type { RequestListener } from 'node:http';
import type { DescMethod, DescService } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import { createNodeHandlers } from '@fairlead/connect-fast/node-handlers';
import { Health } from '@fairlead/contracts/grpc/health/v1/health_pb';
import type { Clock } from '../clock.ts';
import type { HttpAppOptions } from '../http/app.ts';
import { admitForwardedRequests } from '../http/passed-on.ts';
import type { KeyRing } from '../key-ring.ts';
import { createHealth } from '../lifecycle/health.ts';
import type { Logger } from '../telemetry/logger.ts';
import { addReflection, reflectionServices } from './reflection.ts';
import { createCallerGate, rpcInterceptor } from './request.ts';
import { createHttp1Listener, createHttp2Listener } from './listeners.ts';
import { rpcServerTracing } from './tracing.ts';

/** A server of RPCs on two ports. */
export interface RpcServer {
  /** Base address of HTTP/1.1: Connect, gRPC-Web, pages and mounts. */
  readonly httpUrl: string;
  /** Base address of cleartext HTTP/2: gRPC, Connect and gRPC-Web. */
  readonly grpcUrl: string;
  /** Sets the status for grpc.health.v1 from now on. */
  setServing(on: boolean): void;
  /** Stops gracefully: NOT_SERVING, no new connections, requests in flight finish (within the grace period), connections end. */
  close(): Promise<void>;
}

// Maximum message: bodies of the API are at most 5 MiB; JSON as protobuf is always less than three times as large.
const MESSAGE_LIMIT_BYTES = 16 * 1024 * 1024;

/** Pages and mounts that a service serves on its HTTP/1.1 port besides its RPCs, for clients of the gateway. */
export interface HttpSurface extends Pick<HttpAppOptions, 'pages' | 'pageTimeoutMs' | 'mounts'> {
  /** Whether to serve requests that the gateway passes on in the name of a user (`callerOf`). Default: no. */
  readonly admitsUsers?: boolean;
}

/**
 * Serves `routes` over Connect, gRPC and gRPC-Web, with grpc.health.v1 and server reflection (v1 and v1alpha), the
 * only services that need no caller context. Accepts caller contexts signed for `name`. Serves `http` only for
 * requests that the gateway passes on (`clientAddressOf` returns the client). Throws if a port is taken.
 */
export async function startRpcServer(o: {
  readonly name: string;
  readonly config: {
    readonly HOST: string;
    readonly PORT: number;
    readonly GRPC_PORT: number;
    readonly CALLER_CONTEXT_KEYS: KeyRing;
    readonly SHUTDOWN_GRACE_MS: number;
  };
  readonly log: Logger;
  readonly clock: Clock;
  readonly routes: (router: ConnectRouter) => void;
  readonly http?: HttpSurface | undefined;
  /** The methods for callers confined to a toolset. Default: none, FORBIDDEN. */
  readonly openToConfined?: readonly DescMethod[] | undefined;
  /** The methods for clients without a credential at an MCP server. Default: none, FORBIDDEN. */
  readonly openToAnonymous?: readonly DescMethod[] | undefined;
}): Promise<RpcServer> {
  const services = new Set<DescService>();
  const open: ReadonlySet<DescService> = new Set([Health, ...reflectionServices]);
  const health = createHealth((name) => [...services].some(({ typeName }) => typeName === name));
  const { log, clock } = o;
  const callers = { audience: o.name, keys: o.config.CALLER_CONTEXT_KEYS, clock };
  const openToConfined = new Set(o.openToConfined);
  const openToAnonymous = new Set(o.openToAnonymous);
  const gate = createCallerGate({ ...callers, log, open, openToConfined, openToAnonymous });
  const { handler, fastPath } = createNodeHandlers({
    routes(router) {
      o.routes(router);
      for (const { service } of router.handlers) services.add(service);
      router.service(Health, health.implementation);
      addReflection(router, [...services, ...open]);
    },
    gate,
    interceptors: [rpcServerTracing, rpcInterceptor],
    readMaxBytes: MESSAGE_LIMIT_BYTES,
    writeMaxBytes: MESSAGE_LIMIT_BYTES,
  });

  const admitsUsers = o.http?.admitsUsers ?? false;
  const admit = admitForwardedRequests({ ...callers, admitsUsers });
  const http = o.http && (await createHttp({ ...o.http, admit, log, clock }));
  const http1 = createHttp1Listener({ fastPath, handler, http });
  const h2c = createHttp2Listener(handler);
  const httpUrl = await http1.listen(o.config.HOST, o.config.PORT);
  const grpcUrl = await h2c.listen(o.config.HOST, o.config.GRPC_PORT).catch(async (error: unknown) => {
    await http1.drain(0);
    throw error;
  });
  log.info({ httpUrl, grpcUrl }, 'serving');

  return {
    httpUrl,
    grpcUrl,
    setServing: (on) => health.setServing(on),
    async close() {
      health.close();
      const drained = await Promise.all([
        http1.drain(o.config.SHUTDOWN_GRACE_MS),
        h2c.drain(o.config.SHUTDOWN_GRACE_MS),
      ]);
      if (drained.includes(false)) log.warn('stopped while requests were in flight');
      else log.info('stopped serving');
    },
  };
}

async function createHttp(o: Omit<HttpAppOptions, 'paths'>): Promise<RequestListener> {
  // Loaded on demand, because Express would cost every service without pages a tenth of a second of its start.
  const { createHttpApp } = await import('../http/app.ts');
  return createHttpApp({ ...o, paths: [] });
}
