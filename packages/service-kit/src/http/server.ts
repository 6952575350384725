import http from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { REQUEST_ID_HEADER } from '../context/context.ts';
import { uuidv7 } from '../ids.ts';

/** The public port. */
export interface HttpServer {
  /** `http://host:port` as bound. */
  readonly url: string;
  /** Takes no new connection, lets requests in flight end within the grace, then ends all. Gives whether all ended. */
  drain(graceMs: number): Promise<boolean>;
}

// Longer than the 60 s after which balancers drop idle connections, so that it is they who close.
const KEEP_ALIVE_MS = 65_000;
// Slow senders: all headers, then the whole request, must have come by then.
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;
const MAX_HEADER_BYTES = 32 * 1024;

/** Listens on `host:port`; rejects with a clear message when it cannot. */
export async function startHttpServer(o: {
  readonly host: string;
  readonly port: number;
  readonly handler: RequestListener;
}): Promise<HttpServer> {
  const inFlight = new Set<ServerResponse>();
  let idle = Promise.withResolvers<void>();
  let isDraining = false;
  const serve: RequestListener = (request, response) => {
    inFlight.add(response);
    response.once('close', () => {
      inFlight.delete(response);
      if (inFlight.size === 0) idle.resolve();
    });
    if (isDraining) response.setHeader('connection', 'close');
    if (isWithoutHost(request)) refuseHostless(response);
    else o.handler(request, response);
  };
  const server = http.createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Node's own refusal would carry no request id.
      requireHostHeader: false,
    },
    serve,
  );
  server.on('clientError', refuseUnreadable);
  // An expectation that nobody knows may be ignored (RFC 9110, 10.1.1); Node's 417 would carry no request id.
  server.on('checkExpectation', serve);
  return {
    url: await listen(server, o.host, o.port),
    async drain(graceMs) {
      isDraining = true;
      const closed = new Promise<void>((resolve) => {
        // Not http.Server's own close: it resets idle connections on which a request may be on its way.
        net.Server.prototype.close.call(server, () => resolve());
      });
      for (const response of inFlight) if (!response.headersSent) response.setHeader('connection', 'close');
      idle = Promise.withResolvers();
      if (inFlight.size === 0) idle.resolve();
      const timer = new AbortController();
      const isDrained = await Promise.race([
        idle.promise.then(() => true),
        delay(graceMs, false, { signal: timer.signal }).catch(() => false),
      ]);
      timer.abort();
      server.closeAllConnections();
      await closed;
      return isDrained;
    },
  };
}

/** HTTP/1.1 has to name the host (RFC 9112, 3.2). */
function isWithoutHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined;
}

function refuseHostless(response: ServerResponse): void {
  response.writeHead(400, { [REQUEST_ID_HEADER]: uuidv7(), connection: 'close' }).end();
}

const UNREADABLE_STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What is not HTTP never reaches a route; it too gets an answer with a request id. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = UNREADABLE_STATUS[error.code ?? ''] ?? '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${status}\r\n${REQUEST_ID_HEADER}: ${uuidv7()}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
  );
}

function listen(server: net.Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(new Error(`cannot listen on ${host}:${port}: ${error.message}`, { cause: error }));
    });
    server.listen({ host, port }, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('The server has no TCP address.');
      const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      resolve(`http://${name}:${address.port}`);
    });
  });
}
