import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Interceptor, ServiceImpl } from '@connectrpc/connect';
import { createNodeHandlers } from '../node-handlers.ts';
import type { GatedCall } from '../unary-fast-path.ts';
import { EchoService } from './echo-service.ts';

/** A running server of EchoService over HTTP/1.1. */
export interface EchoServer {
  readonly url: string;
  /** Closes the server and all open connections. */
  close(): Promise<void>;
}

/** Serves `methods` on a free port: by the fast path if it accepts the request, else by connect-node. */
export async function startEchoServer(
  methods: Partial<ServiceImpl<typeof EchoService>>,
  o: {
    readonly gate?: (call: GatedCall) => void;
    readonly interceptors?: readonly Interceptor[];
  } = {},
): Promise<EchoServer> {
  const { handler, fastPath } = createNodeHandlers({
    routes: (router) => router.service(EchoService, methods),
    gate: o.gate ?? (() => undefined),
    interceptors: o.interceptors ?? [],
    readMaxBytes: 16 * 1024 * 1024,
    writeMaxBytes: 16 * 1024 * 1024,
  });
  const server = http.createServer((request, response) => {
    if (!fastPath(request, response)) handler(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
