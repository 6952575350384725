import type { Dispatcher } from 'undici';
import type { Connection, UsedSocket } from './connection.ts';
import { EgressError, LostSocketError } from './error.ts';

/** Maximum number of interim (1xx) responses before the final one. */
const MAX_INTERIM_RESPONSES = 16;
/** Pieces in which a body arrives: the chunks of the chunked coding. */
const MAX_PIECES = 100_000;

/** A request to one origin, as undici takes it, and the details that the pool needs. */
export interface ExchangeOptions extends Dispatcher.DispatchOptions {
  readonly origin: string;
  /** Sockets of the same destination are counted together. */
  readonly destination: string;
  /** Ends the exchange at any stage. */
  readonly signal: AbortSignal;
  /** No kept-alive connection is used. */
  readonly isNewConnection: boolean;
  /** As in EgressRequest. */
  readonly mayBegin?: (() => boolean) | undefined;
  /** The maximum size of the response on the wire, with its framing. */
  readonly maxWireBytes: number;
  /** The maximum size on the wire of a response with a content coding. */
  readonly maxEncodedBytes: number;
}

/**
 * One request and its response on a connection: a handler between undici and the caller's handler, which bounds the cost of a response and
 * calls `onSettled` once when the exchange has ended.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly options: ExchangeOptions;
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #onSettled: (exchange: Exchange) => void;
  #connection: Connection | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #used: UsedSocket | undefined;
  #interim = 0;
  #pieces = 0;
  #isSettled = false;

  constructor(
    options: ExchangeOptions,
    handler: Dispatcher.DispatchHandler,
    onSettled: (exchange: Exchange) => void,
  ) {
    this.options = options;
    this.#handler = handler;
    this.#onSettled = onSettled;
    options.signal.addEventListener('abort', this.#abort, { once: true });
  }

  /** The connection of this exchange; undefined while it waits for one. */
  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** Runs this exchange on a connection that no other exchange uses. */
  run(connection: Connection): void {
    this.#connection = connection;
    connection.dispatch(this.options, this);
  }

  /** Ends it with `error`, unless it has ended. */
  fail(error: Error): void {
    if (this.#controller !== undefined) this.#controller.abort(error);
    else if (this.#connection !== undefined) void this.#connection.destroy(error);
    else this.#settle(() => this.#handler.onResponseError?.(NO_CONTROLLER, error));
  }

  readonly #abort = (): void => {
    const reason: unknown = this.options.signal.reason;
    this.fail(reason instanceof Error ? reason : new Error('The call was aborted.', { cause: reason }));
  };

  #settle(report: () => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.options.signal.removeEventListener('abort', this.#abort);
    this.#onSettled(this);
    report();
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    // An error thrown before anything is written leaves the connection usable.
    if (this.options.mayBegin?.() === false) throw this.#notBegun();
    this.#controller = controller;
    this.#used = this.#connection?.useSocket();
    this.#handler.onRequestStart?.(controller, context);
  }

  onResponseStarted(): void {
    this.#handler.onResponseStarted?.();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2],
    statusMessage?: string,
  ): void {
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim > MAX_INTERIM_RESPONSES) {
        throw this.#invalid(`sent more than ${MAX_INTERIM_RESPONSES} interim responses.`);
      }
      return;
    }
    const coding = String(headers['content-encoding'] ?? '');
    // Each coding multiplies the output of the one before it.
    if (coding.includes(',')) throw this.#invalid('sent a response that is encoded more than once.');
    this.#used?.meter.endHead(coding === '' ? this.options.maxWireBytes : this.options.maxEncodedBytes);
    this.#handler.onResponseStart?.(controller, status, headers, statusMessage);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#used?.meter.endFraming();
    this.#pieces += 1;
    if (this.#pieces > MAX_PIECES) throw this.#invalid('sent its response in too many small pieces.');
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(
    controller: Dispatcher.DispatchController,
    trailers: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>[1],
  ): void {
    this.#settle(() => this.#handler.onResponseEnd?.(controller, trailers));
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    const isLost = this.#used?.isReused === true && this.#used.meter.bytes === 0;
    const reported = isLost ? new LostSocketError(error) : error;
    this.#settle(() => this.#handler.onResponseError?.(controller, reported));
  }

  #notBegun(): EgressError {
    const { host } = new URL(this.options.origin);
    return new EgressError('not_begun', `The call to ${host} was not to begin so late.`);
  }

  #invalid(what: string): EgressError {
    return new EgressError('invalid_response', `${new URL(this.options.origin).host} ${what}`);
  }
}

/** For an exchange that ends before it has begun; undici itself passes null to such handlers. */
const NO_CONTROLLER: Dispatcher.DispatchController = {
  aborted: true,
  paused: false,
  reason: null,
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};
