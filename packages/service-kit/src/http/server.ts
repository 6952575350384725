import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { REQUEST_ID_HEADER } from '../context/context.ts';
import { uuidv7 } from '../ids.ts';
import { createDrainingServer } from './draining-server.ts';
import { listen } from './listen.ts';

/** The port of a service's HTTP side. */
export interface HttpServer {
  /** `http://host:port` with the bound port. */
  readonly url: string;
  /**
   * For `delayMs` continues to serve, but tells clients not to reuse their connections; then closes the port and idle
   * connections, and lets requests in flight finish within `graceMs`. Returns whether all finished.
   */
  drain(o: { readonly delayMs: number; readonly graceMs: number }): Promise<boolean>;
}

// Idle time; longer than the 60 s after which load balancers drop idle connections, so that the balancers close them.
const KEEP_ALIVE_MS = 65_000;
// Time limits for slow senders: of all headers, and of the whole request.
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;
const MAX_HEADER_BYTES = 32 * 1024;
// Time in which data that was sent just before the port closed arrives.
const LAST_REQUESTS_MS = 500;

/** Listens on `host:port`; rejects with a clear message if it cannot. */
export async function startHttpServer(o: {
  readonly host: string;
  readonly port: number;
  readonly handler: RequestListener;
}): Promise<HttpServer> {
  const { server, drain } = createDrainingServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Node's own refusal would have no request id.
      requireHostHeader: false,
    },
    (request, response) => {
      if (isWithoutHost(request)) refuseHostless(response);
      else o.handler(request, response);
    },
  );
  server.on('clientError', refuseUnreadable);
  // An unknown expectation may be ignored (RFC 9110, 10.1.1); Node's 417 would carry no request id.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  return {
    url: await listen(server, o),
    drain: ({ delayMs, graceMs }) =>
      drain({ stayOpen: () => delay(delayMs), idleMs: Math.min(LAST_REQUESTS_MS, delayMs), graceMs }),
  };
}

/** HTTP/1.1 requests must name the host (RFC 9112, 3.2). */
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

/** Data that is not HTTP reaches no route, but gets a response with a request id. */
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
