import http from 'node:http';
import type { RequestListener, ServerOptions } from 'node:http';
import net from 'node:net';
import type { Socket } from 'node:net';
import { OpenSet, endsWithin, waitUntilReceived } from './open.ts';

/** The way in which an HTTP/1.1 server stops. */
interface DrainTimes {
  /**
   * The port stays open until this resolves; its argument has the open connections. From the start of the stop, each
   * response tells its client not to reuse the connection.
   */
  readonly stayOpen: (connected: OpenSet<Socket>) => Promise<unknown>;
  /** Time in which clients may close their idle connections before the server does. */
  readonly idleMs: number;
  /** Time in which requests must finish once the port is closed, including `idleMs`; then they are cut. */
  readonly graceMs: number;
}

/** An HTTP/1.1 server that stops without losing a request that has reached it. */
export interface DrainingServer {
  readonly server: http.Server;
  /** Stops. Returns whether all requests finished. */
  readonly drain: (times: DrainTimes) => Promise<boolean>;
}

/** Creates the server; it does not listen yet. */
export function createDrainingServer(options: ServerOptions, serve: RequestListener): DrainingServer {
  const responses = new OpenSet<http.ServerResponse>();
  const sockets = new OpenSet<Socket>();
  /** Bytes of each connection that belong to finished requests. */
  const settledBytes = new WeakMap<Socket, number>();
  let isDraining = false;
  let isClosing = false;

  const server = http.createServer(options, (request, response) => {
    const { socket } = request;
    responses.add(response);
    response.once('close', () => {
      settledBytes.set(socket, socket.bytesRead);
      // A response that began before the drain did not announce the end of the connection.
      if (isClosing) closeIdle();
    });
    if (isDraining) response.setHeader('connection', 'close');
    serve(request, response);
  });
  server.on('connection', (socket: Socket) => sockets.add(socket));

  /** Closes connections on which nothing was received since their last response. */
  function closeIdle(): void {
    const busy = new Set(responses.all.toArray().map(({ req }) => req.socket));
    for (const socket of sockets.all.toArray()) {
      if (!busy.has(socket) && socket.bytesRead === (settledBytes.get(socket) ?? 0)) socket.destroy();
    }
  }

  return {
    server,
    async drain({ stayOpen, idleMs, graceMs }) {
      isDraining = true;
      for (const response of responses.all.toArray()) {
        if (!response.headersSent) response.setHeader('connection', 'close');
      }
      await stayOpen(sockets);
      // First accepts clients that connected while this process was busy, because closing the port would reset them.
      await waitUntilReceived();
      const closed = Promise.withResolvers<void>();
      // Not http.Server's own close, which resets idle connections on which a request may be arriving.
      net.Server.prototype.close.call(server, () => closed.resolve());
      const end = performance.now() + graceMs;
      await endsWithin(sockets.none(), Math.min(idleMs, graceMs));
      // First reads received data, because it may contain a request.
      await waitUntilReceived();
      isClosing = true;
      closeIdle();
      await endsWithin(sockets.none(), end - performance.now());
      const isDrained = responses.all.size === 0;
      server.closeAllConnections();
      await closed.promise;
      return isDrained;
    },
  };
}
