import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Addresses } from '@fairlead/connect-fast/live-addresses';
import type { PeerCanaries } from '@fairlead/service-kit/canary/peer-canaries';
import { systemClock } from '@fairlead/service-kit/clock';
import type { HttpHandler } from '@fairlead/service-kit/http/app';
import { clientAddressOf } from '@fairlead/service-kit/http/passed-on';
import { sendJson } from '@fairlead/service-kit/http/reply';
import { startHttpService } from '@fairlead/service-kit/testing/http';
import type { TestHttpService } from '@fairlead/service-kit/testing/http';
import { startEchoServer, testCallerKeys } from '@fairlead/service-kit/testing/rpc';
import type { RpcServer } from '@fairlead/service-kit/rpc/server';
import { onTestFinished } from 'vitest';
import { clientAddress } from '../client-address.ts';
import { createServiceProxy } from '../service-proxy.ts';

/** The page that every test proxy passes on besides the mount `/oauth`. */
export const PAGE = '/.well-known/echo';

/** Echoes the request that a replica received. */
const describeRequest: HttpHandler = async (exchange, request, response) => {
  exchange.route = '/oauth/{pageId}';
  exchange.accountId = 'acc_1';
  exchange.userId = 'usr_1';
  const body = await exchange.readBody();
  sendJson(response, 200, {
    method: request.method,
    url: request.originalUrl,
    headers: request.headers,
    body: body?.toString(),
    address: clientAddressOf(request),
  });
};

/** A real RPC server that serves the mount and the page; it stops with the test. */
export async function startReplica(handle: HttpHandler = describeRequest): Promise<RpcServer> {
  const server = await startEchoServer(() => ({}), {
    graceMs: 5_000,
    http: {
      pages: [
        {
          path: PAGE,
          isSafe: true,
          isCrossOrigin: true,
          show: (_exchange, _request, response) => sendJson(response, 200, { page: 'echo' }),
        },
      ],
      pageTimeoutMs: 60_000,
      mounts: [{ prefix: '/oauth', timeoutMs: 60_000, maxBodyBytes: 1_000_000, handle }],
    },
  });
  onTestFinished(() => server.close());
  return server;
}

/** A replica that misbehaves by `onConnection`; a frozen one accepts connections and sends nothing. */
export async function startBrokenReplica(
  onConnection: (socket: Socket) => void = () => undefined,
): Promise<{ readonly httpUrl: string; readonly connections: () => number }> {
  const sockets = new Set<Socket>();
  let count = 0;
  const server: Server = createServer((socket) => {
    count += 1;
    sockets.add(socket);
    // The proxy may close it at any time.
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // A TCP server that listens has one.
  const { port } = server.address() as AddressInfo;
  return { httpUrl: `http://127.0.0.1:${port}`, connections: () => count };
}

interface ProxyOptions {
  readonly proxyHops?: number;
  readonly timeoutMs?: number;
  readonly responseTimeoutMs?: number;
  readonly canaries?: PeerCanaries;
}

/** The HTTP side of a gateway that passes `/oauth` and the page on to replicas; stopped after the test. */
export function startProxy(
  replicas: readonly Pick<RpcServer, 'httpUrl'>[],
  o: ProxyOptions = {},
): Promise<TestHttpService> {
  return startProxyAt(
    replicas.map(({ httpUrl }) => httpUrl),
    o,
  );
}

/** The same gateway with addresses that may change. */
export async function startProxyAt(addresses: Addresses, o: ProxyOptions = {}): Promise<TestHttpService> {
  const { proxyHops = 0, timeoutMs = 60_000, responseTimeoutMs = 30_000 } = o;
  const proxy = createServiceProxy({
    service: 'echo',
    caller: 'gateway',
    addresses,
    canaries: o.canaries,
    callerKeys: testCallerKeys,
    clock: systemClock,
    addressOf: (request) => clientAddress(request, proxyHops),
    timeoutMs,
    responseTimeoutMs,
  });
  const service = await startHttpService({
    mounts: [proxy.mount('/oauth')],
    pages: [proxy.page(PAGE)],
    pageTimeoutMs: 60_000,
  });
  onTestFinished(async () => {
    await service.close();
    await proxy.close();
  });
  return service;
}
