import type { IncomingHttpHeaders } from 'node:http';
import { Code, ConnectError } from '@connectrpc/connect';
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import { ChannelError } from './channel-error.ts';

/** A complete HTTP response. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  /** The server closes the connection after this response, because it is about to stop. */
  readonly isLast: boolean;
}

/** One POST. */
interface HttpCall {
  readonly path: string;
  /** Alternating names and values. */
  readonly headers: string[];
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
  readonly maxResponseBytes: number;
}

/** Pooled keep-alive connections to one address. */
export interface HttpChannel {
  /**
   * Sends one request. Rejects with a ChannelError if no complete response arrived, with RESOURCE_EXHAUSTED if the response
   * is too large, and with the signal's reason if that aborts, which closes the connection of the request.
   */
  post(call: HttpCall): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/**
 * How long a client keeps an idle connection, well below the limit of any server, so that no request is sent on a
 * connection that is being closed. A stopping server waits a little longer than this for idle connections to close.
 */
export const CLIENT_IDLE_MS = 2_000;
const CONNECT_TIMEOUT_MS = 2_000;

/** Opens a channel; it connects when it is used. */
export function createHttpChannel(url: string): HttpChannel {
  const { origin } = new URL(url);
  let pool = createPool(origin);
  return {
    async post(call) {
      const used = pool;
      const answer = await exchange(used, call);
      if (answer.isLast && used === pool) {
        // Close its idle connections now, so that no request is sent to a server that only waits for them.
        pool = createPool(origin);
        void used.close();
      }
      return answer;
    },
    // A closing client needs no more responses.
    close: () => pool.destroy(),
  };
}

function createPool(origin: string): Pool {
  return new Pool(origin, {
    // As many connections as calls: a call that waits for another one's response could miss its deadline.
    connections: null,
    pipelining: 1,
    keepAliveTimeout: CLIENT_IDLE_MS,
    keepAliveMaxTimeout: CLIENT_IDLE_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // Each call has its own deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  });
}

function exchange(pool: Pool, call: HttpCall): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const handler = new Exchange(call, resolve, reject);
    if (handler.isOver) return;
    pool.dispatch({ method: 'POST', path: call.path, headers: call.headers, body: call.body }, handler);
  });
}

/** Receives one response. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #call: HttpCall;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (reason: unknown) => void;
  /** Set when the request is written to a connection. */
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #size = 0;
  readonly #chunks: Uint8Array[] = [];
  isOver = false;

  constructor(call: HttpCall, resolve: (answer: HttpAnswer) => void, reject: (reason: unknown) => void) {
    this.#call = call;
    this.#resolve = resolve;
    this.#reject = reject;
    call.signal.addEventListener('abort', this.#abort);
    if (call.signal.aborted) this.#abort();
  }

  readonly #abort = (): void => this.#fail(this.#call.signal.reason);

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Cancelled while it waited for a connection, so it is not written at all.
    if (this.isOver) controller.abort(new Error('The call has ended.'));
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: unknown, chunk: Uint8Array): void {
    this.#size += chunk.byteLength;
    if (this.#size <= this.#call.maxResponseBytes) this.#chunks.push(chunk);
    else {
      const text = `The answer is larger than ${String(this.#call.maxResponseBytes)} bytes.`;
      this.#fail(new ConnectError(text, Code.ResourceExhausted));
    }
  }

  onResponseEnd(): void {
    if (!this.#end()) return;
    const [first] = this.#chunks;
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      body: first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks),
      isLast: this.#headers.connection === 'close',
    });
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#end()) this.#reject(new ChannelError(error, this.#controller !== undefined));
  }

  #fail(reason: unknown): void {
    if (!this.#end()) return;
    this.#reject(reason);
    this.#controller?.abort(new Error('The call has ended.', { cause: reason }));
  }

  /** Whether it was still in progress. */
  #end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    this.#call.signal.removeEventListener('abort', this.#abort);
    return true;
  }
}
