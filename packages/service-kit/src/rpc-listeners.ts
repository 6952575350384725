import http from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { connectNodeAdapter } from '@connectrpc/connect-node';

type Handler = ReturnType<typeof connectNodeAdapter>;

/** One port of an RPC server. */
export interface Listener {
  /** Binds and gives the base address; rejects with a clear message when it cannot. */
  listen(host: string, port: number): Promise<string>;
  /** Takes no new connection, lets requests in flight end within `graceMs`, then ends all. Gives whether all ended. */
  drain(graceMs: number): Promise<boolean>;
}

// Longer than the 60 s after which balancers drop idle connections, so that it is they who close.
const KEEP_ALIVE_MS = 65_000;
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 120_000;
const MAX_STREAMS_A_CONNECTION = 1_000;
const FLUSH_MS = 250;

/** The responses that are not finished yet. */
class InFlight {
  readonly responses = new Set<http.ServerResponse | http2.Http2ServerResponse>();
  #none = Promise.withResolvers<void>();

  add(response: http.ServerResponse | http2.Http2ServerResponse): void {
    this.responses.add(response);
    response.once('close', () => {
      this.responses.delete(response);
      if (this.responses.size === 0) this.#none.resolve();
    });
  }

  /** Resolves once there is none. */
  none(): Promise<void> {
    this.#none = Promise.withResolvers();
    if (this.responses.size === 0) this.#none.resolve();
    return this.#none.promise;
  }
}

/** HTTP/1.1: Connect and gRPC-Web. */
export function createHttp1Listener(handler: Handler): Listener {
  const inFlight = new InFlight();
  let isDraining = false;
  const server = http.createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
    },
    (request, response) => {
      inFlight.add(response);
      if (isDraining) response.setHeader('connection', 'close');
      handle(handler, request, response);
    },
  );
  return {
    listen: (host, port) => listen(server, host, port),
    async drain(graceMs) {
      isDraining = true;
      const closed = Promise.withResolvers<void>();
      // Not http.Server's own close, which resets idle connections on which a request may be on its way while
      // others are still being answered.
      net.Server.prototype.close.call(server, () => closed.resolve());
      for (const response of inFlight.responses) {
        if (!response.headersSent) response.setHeader('connection', 'close');
      }
      const isDrained = await endsWithin(inFlight.none(), graceMs);
      server.closeAllConnections();
      await closed.promise;
      return isDrained;
    },
  };
}

/** HTTP/2 without TLS: gRPC, Connect and gRPC-Web. */
export function createHttp2Listener(handler: Handler): Listener {
  const inFlight = new InFlight();
  const sessions = new Set<http2.Http2Session>();
  const sockets = new Set<net.Socket>();
  let isDraining = false;
  const server = http2.createServer(
    { settings: { maxConcurrentStreams: MAX_STREAMS_A_CONNECTION } },
    (request, response) => {
      inFlight.add(response);
      handle(handler, request, response);
    },
  );
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    if (isDraining) session.close();
  });
  return {
    listen: (host, port) => listen(server, host, port),
    async drain(graceMs) {
      isDraining = true;
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      // GOAWAY: streams in flight end, new ones go elsewhere.
      for (const session of sessions) session.close();
      const isDrained = await endsWithin(inFlight.none(), graceMs);
      // Connections end on their own now, but for one whose client never said a word or does not hang up: destroying
      // its session would only end our half of it.
      await endsWithin(closed.promise, FLUSH_MS);
      for (const socket of sockets) socket.destroy();
      await closed.promise;
      return isDrained;
    },
  };
}

function handle(
  handler: Handler,
  request: http.IncomingMessage | http2.Http2ServerRequest,
  response: http.ServerResponse | http2.Http2ServerResponse,
): void {
  try {
    handler(request, response);
  } catch {
    // connect-node throws on a Host header that is missing or makes no URL; nobody else would catch it.
    response.statusCode = 400;
    response.end();
  }
}

function listen(server: net.Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new Error(`Cannot listen on ${host}:${port}: ${error.message}`, { cause: error }));
    });
    server.listen({ host, port }, () => resolve(baseUrl(server.address())));
  });
}

function baseUrl(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('The server has no TCP address.');
  // An address that stands for all of them is not one to connect to.
  const host =
    address.address === '0.0.0.0' ? '127.0.0.1' : address.address === '::' ? '::1' : address.address;
  return address.family === 'IPv6' ? `http://[${host}]:${address.port}` : `http://${host}:${address.port}`;
}

async function endsWithin(end: Promise<void>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  try {
    return await Promise.race([end.then(() => true), delay(ms, false, { signal: timer.signal })]);
  } finally {
    timer.abort();
  }
}
