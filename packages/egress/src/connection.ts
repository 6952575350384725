import type { Socket } from 'node:net';
import { Client } from 'undici';
import type { Dispatcher } from 'undici';
import { createConnector } from './connector.ts';
import type { VetHost } from './connector.ts';
import { WireMeter } from './wire-meter.ts';

/** Names and values of a response's headers together; more is `headers_too_large`. */
const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 300_000;
/** The longest idle time, whatever the server announces. */
const MAX_KEEP_ALIVE_MS = 60_000;

/** The socket that an exchange uses. */
export interface UsedSocket {
  /** The socket was kept alive after an earlier exchange. */
  readonly isReused: boolean;
  readonly meter: WireMeter;
}

/** A connection to one origin with at most one socket, for one exchange at a time. */
export class Connection {
  readonly origin: string;
  readonly #client: Client;
  readonly #ended = new AbortController();
  #socket: Socket | undefined;
  #meter: WireMeter | undefined;
  #isUsed = false;

  /** `onIdleClose` is called when the server, or a timer, closes the connection between two exchanges. */
  constructor(origin: string, vetHost: VetHost, onIdleClose: (connection: Connection) => void) {
    this.origin = origin;
    this.#client = new Client(origin, {
      connect: createConnector({
        vetHost,
        signal: this.#ended.signal,
        onConnect: (socket) => {
          this.#socket = socket;
          this.#meter = new WireMeter(socket, new URL(origin).host);
          this.#isUsed = false;
        },
      }),
      allowH2: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Event streams may be silent for a long time; a request has its own deadline.
      bodyTimeout: 0,
    });
    this.#client.on('disconnect', () => onIdleClose(this));
  }

  /** Starts an exchange. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler);
  }

  /** Called when an exchange is about to be written. */
  useSocket(): UsedSocket {
    if (this.#meter === undefined) throw new Error('A request is written without a socket.');
    const isReused = this.#isUsed;
    this.#isUsed = true;
    this.#meter.start();
    return { isReused, meter: this.#meter };
  }

  /** Whether its socket can take another exchange. */
  get isOpen(): boolean {
    return this.#socket?.destroyed === false && this.#socket.writable && !this.#client.destroyed;
  }

  /** Ends the connection and its socket, at any stage; a running exchange fails with `reason`. */
  async destroy(reason: Error): Promise<void> {
    if (this.#client.destroyed) return;
    const destroyed = this.#client.destroy(reason);
    this.#ended.abort(reason);
    await destroyed;
  }
}
