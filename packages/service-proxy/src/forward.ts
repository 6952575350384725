import type { ClientRequest, IncomingMessage } from 'node:http';
import { createProxyMiddleware } from 'http-proxy-middleware';
import type { Request, Response } from 'express';
import { createRequestProperty } from '@fairlead/service-kit/collections/request-property';
import type { ConnectionLease } from './connections.ts';

/** One attempt to send a request. */
interface Transmission {
  /** Not used for anything else until the response ends. */
  readonly connection: ConnectionLease;
  /** Time limit for the service to respond once it has the request, or to accept more of it. */
  readonly responseTimeoutMs: number;
  /** Sets status and headers on the client's response, before any of the body follows. */
  readonly begin: (answer: IncomingMessage) => void;
  /** Called when the service breaks a response that has begun, before the client's is cut. */
  readonly onBroken: (error: Error) => void;
}

/**
 * Sends a request and passes the response on, both in pieces. Resolves at the end of the response, whether it is
 * complete, broken or abandoned by the client; rejects if none began.
 */
export type Forward = (request: Request, response: Response, o: Transmission) => Promise<void>;

// More than the gateway accepts of a client's headers (32 KiB), because a redirect may repeat them.
const MAX_RESPONSE_HEADER_BYTES = 64 * 1024;
// The connections are open already, so the library resolves no host name.
const TARGET = 'http://127.0.0.1';

/** Creates the function that forwards requests unchanged: `url` and `headers` are sent as they are. */
export function createForward(): Forward {
  const attempts = createRequestProperty<IncomingMessage, Attempt>('attempt');
  const proxy = createProxyMiddleware<Request, Response>({
    // The library's loggers write to the console.
    ejectPlugins: true,
    plugins: [
      (events) => {
        events.on('proxyReq', (sent, request) => attempts.get(request)?.sent(sent));
        events.on('proxyRes', (answer, request, response) =>
          attempts.get(request)?.answered(answer, response),
        );
        events.on('error', (error, request) => request && attempts.get(request)?.failed(error));
      },
    ],
    // The library's own function would also copy the connection's headers.
    selfHandleResponse: true,
    router(request, _response, options) {
      // The options apply to this request only.
      options.agent = attempts.get(request)?.connection.agent;
      // The one option whose members all become options of the request.
      options.ssl = { maxHeaderSize: MAX_RESPONSE_HEADER_BYTES };
      return TARGET;
    },
  });
  return async (request, response, o) => {
    const attempt = new Attempt(o);
    attempts.set(request, attempt);
    await proxy(request, response, (error?: unknown) => attempt.failed(error));
    attempt.settle(response);
  };
}

class Attempt {
  readonly connection: ConnectionLease;
  readonly #o: Transmission;
  #hasBegun = false;
  #failure: Error | undefined;

  constructor(o: Transmission) {
    this.#o = o;
    this.connection = o.connection;
  }

  /** Called when the request has its connection, before any of the request is sent. */
  sent(request: ClientRequest): void {
    // Otherwise the library would request `close` for chunked bodies on reused connections. With this header, `close` in a response means
    // that the replica stops.
    request.setHeader('connection', 'keep-alive');
    const { responseTimeoutMs } = this.#o;
    const timer = setTimeout(() => {
      if (this.#hasBegun || request.destroyed) return;
      const isClientSending = !request.writableEnded && !request.writableNeedDrain;
      if (isClientSending) timer.refresh();
      else request.destroy(new Error(`There was no response within ${responseTimeoutMs} ms.`));
    }, responseTimeoutMs);
    const refresh = (): void => void timer.refresh();
    request.on('drain', refresh);
    request.once('finish', refresh);
    request.once('close', () => clearTimeout(timer));
  }

  answered(answer: IncomingMessage, response: Response): void {
    if (response.headersSent || response.destroyed) {
      // The deadline has sent a response, or the client has disconnected.
      answer.destroy();
      return;
    }
    this.#hasBegun = true;
    // Registered first, so that it is called before the library ends the client's response.
    answer.once('error', this.#o.onBroken);
    try {
      this.#o.begin(answer);
      // From now on, a failure must not become a response with these headers.
      response.flushHeaders();
    } catch (error) {
      answer.destroy(new Error('The response cannot be passed on.', { cause: error }));
      return;
    }
    answer.pipe(response);
  }

  failed(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error('The proxy sent nothing.', { cause: error });
  }

  settle(response: Response): void {
    if (this.#hasBegun || response.destroyed) return;
    this.connection.close();
    throw this.#failure ?? new Error('The proxy sent nothing.');
  }
}
