import type http from 'node:http';
import http2 from 'node:http2';
import type net from 'node:net';
import { CLIENT_IDLE_MS } from '@fairlead/connect-fast/http-channel';
import type { NodeHandlers } from '@fairlead/connect-fast/node-handlers';
import { createDrainingServer } from '../http/draining-server.ts';
import { listen } from '../http/listen.ts';
import { OpenSet, endsWithin, waitUntilReceived } from '../http/open.ts';

type Handler = NodeHandlers['handler'];
type FastPath = NodeHandlers['fastPath'];

/** One port of an RPC server. */
export interface Listener {
  /** Binds and returns the base address; rejects with a clear message if it cannot. */
  listen(host: string, port: number): Promise<string>;
  /**
   * Tells clients to use other replicas, accepts no new connections, lets requests finish and idle clients disconnect
   * within `graceMs`, then closes everything. Returns whether all requests finished.
   */
  drain(graceMs: number): Promise<boolean>;
}

// Idle time; longer than the 60 s after which load balancers drop idle connections, so that the balancers close them.
const KEEP_ALIVE_MS = 65_000;
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 120_000;
// Maximum header bytes; more than the gateway accepts of clients (http/server.ts), because it passes their headers on
// and adds its own.
const MAX_HEADER_BYTES = 40 * 1024;
const MAX_STREAMS_A_CONNECTION = 1_000;
const FLUSH_MS = 250;
// Time after the announcement of the stop during which the port stays open, so that a client that was about to
// connect is served, and gets the announcement. It covers delays of both event loops, and is well below the time for
// which clients then avoid the address.
const FAREWELL_MS = 500;
// Time for which the port stays open once no client is connected: a client that picked this server before the
// announcement connects within it.
const QUIET_MS = 50;
// Our clients close connections that were idle for CLIENT_IDLE_MS. If the server closed them, it could hit a request
// on its way.
const IDLE_CLIENTS_MS = CLIENT_IDLE_MS + 500;

/** The handlers of one HTTP/1.1 port. */
export interface Http1Handlers {
  readonly fastPath: FastPath;
  /** Handles requests that `fastPath` does not handle. */
  readonly handler: Handler;
  /** Handles requests whose path is not an RPC's. Default: `handler` handles them. */
  readonly http?: http.RequestListener | undefined;
}

/**
 * Matches `/<package>.<Service>/<Method>` of any service. The RPC handler answers unknown ones, such as those of a
 * newer release.
 */
const RPC_PATH = /^\/(?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*\/[A-Za-z_]\w*(?:\?|$)/;

/** Listens for HTTP/1.1: Connect, gRPC-Web and the service's other paths. */
export function createHttp1Listener({ fastPath, handler, http: other }: Http1Handlers): Listener {
  const { server, drain } = createDrainingServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (request, response) => {
      if (fastPath(request, response)) return;
      if (other === undefined || RPC_PATH.test(request.url ?? '')) handle(handler, request, response);
      else other(request, response);
    },
  );
  return {
    listen: (host, port) => listen(server, { host, port }),
    drain(graceMs) {
      const openMs = farewellMs(graceMs);
      return drain({
        stayOpen: (connected) => connected.quiet(QUIET_MS, openMs),
        idleMs: IDLE_CLIENTS_MS,
        graceMs: graceMs - openMs,
      });
    },
  };
}

/** Listens for HTTP/2 without TLS: gRPC, Connect and gRPC-Web. */
export function createHttp2Listener(handler: Handler): Listener {
  const inFlight = new OpenSet<http2.Http2ServerResponse>();
  const sessions = new OpenSet<http2.ServerHttp2Session>();
  const sockets = new OpenSet<net.Socket>();
  let isDraining = false;
  const server = http2.createServer(
    { settings: { maxConcurrentStreams: MAX_STREAMS_A_CONNECTION } },
    (request, response) => {
      inFlight.add(response);
      handle(handler, request, response);
    },
  );
  server.on('connection', (socket: net.Socket) => sockets.add(socket));
  server.on('session', (session) => {
    sessions.add(session);
    if (isDraining) bidFarewell(session);
  });
  return {
    listen: (host, port) => listen(server, { host, port }),
    async drain(graceMs) {
      isDraining = true;
      const end = performance.now() + graceMs;
      for (const session of sessions.all.toArray()) bidFarewell(session);
      await sockets.quiet(QUIET_MS, farewellMs(graceMs));
      // First accepts clients that connected while this process was busy, because closing the port would reset them.
      await waitUntilReceived();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      // The second GOAWAY: streams in flight end, later ones are refused.
      for (const session of sessions.all.toArray()) session.close();
      const isDrained = await endsWithin(inFlight.none(), end - performance.now());
      // Connections now close by themselves, except those of clients that never sent anything or do not disconnect:
      // destroying the session would end only our half.
      await endsWithin(closed.promise, FLUSH_MS);
      for (const socket of sockets.all.toArray()) socket.destroy();
      await closed.promise;
      return isDrained;
    },
  };
}

/** The first GOAWAY refuses no streams: requests on their way are served (RFC 9113, 6.8). */
function bidFarewell(session: http2.ServerHttp2Session): void {
  // A connection that broke is listed until its close event.
  if (!session.destroyed) session.goaway(http2.constants.NGHTTP2_NO_ERROR, HIGHEST_STREAM_ID);
}

const HIGHEST_STREAM_ID = 2 ** 31 - 1;

/** Shorter if the grace period is very short. */
function farewellMs(graceMs: number): number {
  return Math.min(FAREWELL_MS, graceMs / 5);
}

function handle(
  handler: Handler,
  request: http.IncomingMessage | http2.Http2ServerRequest,
  response: http.ServerResponse | http2.Http2ServerResponse,
): void {
  try {
    handler(request, response);
  } catch {
    // connect-node throws if the Host header is missing or invalid; nothing else would catch that.
    response.statusCode = 400;
    response.end();
  }
}
