import net from 'node:net';
import tls from 'node:tls';
import { Code, ConnectError } from '@connectrpc/connect';
import type { CallEnd } from './call-end.ts';
import { ChannelError } from './channel-error.ts';
import { limitConnecting } from './limit-connecting.ts';
import { BodyTooLargeError, ResponseReader } from './response-reader.ts';
import { latin1Of, lengthOf } from './message-codec.ts';
import type { HttpHeaders } from './response-reader.ts';

/** A complete HTTP response. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: Uint8Array;
  /** The server announced that it closes the connection after this response, because it is about to stop. */
  readonly isLast: boolean;
}

/** One POST. */
export interface HttpCall {
  readonly path: string;
  /** Alternating names and values; they must be valid. */
  readonly headers: readonly string[];
  /** The body in pieces, which must not change until it is sent. */
  readonly body: readonly Uint8Array[];
  readonly end: CallEnd;
  readonly maxResponseBytes: number;
}

/**
 * A read buffer that all sockets share: received bytes are copied before another socket reads. A larger one means
 * fewer reads for a large response.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(256 * 1024);
/** Body size above which a copy costs more than a second write. */
const MAX_TEXT_BYTES = 32 * 1024;

interface Exchange {
  readonly call: HttpCall;
  readonly reader: ResponseReader;
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (reason: unknown) => void;
  isSent: boolean;
}

/** A socket to one address, for one exchange at a time. It connects on creation. */
export class HttpConnection {
  /** Time at which the last exchange ended, by `performance.now()`. */
  idleSince = 0;
  readonly #host: string;
  readonly #socket: net.Socket;
  readonly #onIdle: (connection: HttpConnection) => void;
  readonly #onClose: (connection: HttpConnection) => void;
  #exchange: Exchange | undefined;
  #isConnected = false;

  /** `onIdle` is called when the connection can take another exchange, `onClose` once when it is closed. */
  constructor(
    url: URL,
    on: {
      readonly idle: (connection: HttpConnection) => void;
      readonly close: (connection: HttpConnection) => void;
    },
  ) {
    this.#host = url.host;
    this.#onIdle = on.idle;
    this.#onClose = on.close;
    this.#socket = this.#connect(url);
    this.#socket.setNoDelay(true);
    this.#socket.on('end', () => this.#end());
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => {
      this.#fail(new Error('The connection was closed.'));
      this.#onClose(this);
    });
  }

  /** Sends a request like HttpChannel.post. The connection must be new or idle. */
  post(call: HttpCall): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const reader = new ResponseReader(call.maxResponseBytes);
      this.#exchange = { call, reader, resolve, reject, isSent: false };
      call.end.onAbort = () => this.#reject(call.end.reason);
      if (this.#isConnected) this.#send(this.#exchange);
    });
  }

  /** Whether the connection can take an exchange, provided that it is idle. */
  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /** Closes the connection; an exchange on it fails. */
  destroy(): void {
    this.#socket.destroy();
  }

  #connect({ protocol, hostname, port }: URL): net.Socket {
    const isSecure = protocol === 'https:';
    const host = net.isIPv6(hostname.slice(1, -1)) ? hostname.slice(1, -1) : hostname;
    const options = { host, port: Number(port) || (isSecure ? 443 : 80) };
    const connected = (): void => {
      // A server that closes its port resets connections that it has not accepted. If the reset has arrived, nothing
      // was sent.
      setImmediate(() => setImmediate(() => this.#begin()));
    };
    const socket = isSecure
      ? tls.connect({ ...options, ...(net.isIP(host) === 0 && { servername: host }) }, connected)
      : net.connect(
          {
            ...options,
            // Reads without a buffer per socket, and without a stream.
            onread: {
              buffer: READ_BUFFER,
              callback: (length, buffer) => {
                this.#receive(buffer.subarray(0, length) as Buffer);
                return true;
              },
            },
          },
          connected,
        );
    if (isSecure) socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    return limitConnecting(socket, isSecure ? 'secureConnect' : 'connect');
  }

  #begin(): void {
    this.#isConnected = true;
    if (this.#exchange !== undefined) this.#send(this.#exchange);
  }

  #send(exchange: Exchange): void {
    exchange.isSent = true;
    const { path, headers, body } = exchange.call;
    let head = `POST ${path} HTTP/1.1\r\nhost: ${this.#host}\r\nconnection: keep-alive\r\n`;
    for (let index = 0; index < headers.length; index += 2)
      head += `${headers[index] ?? ''}: ${headers[index + 1] ?? ''}\r\n`;
    const length = lengthOf(body);
    head += `content-length: ${String(length)}\r\n\r\n`;
    // Node writes a single text at once, and several pieces by a slower call.
    if (length <= MAX_TEXT_BYTES) {
      this.#socket.write(head + latin1Of(body), 'latin1');
      return;
    }
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    for (const piece of body) this.#socket.write(piece);
    this.#socket.uncork();
  }

  #receive(bytes: Buffer): void {
    const exchange = this.#exchange;
    // Unrequested bytes.
    if (exchange?.isSent !== true) return this.destroy();
    try {
      if (exchange.reader.read(bytes)) this.#resolve(exchange);
    } catch (error) {
      if (error instanceof BodyTooLargeError) {
        const text = `The answer is larger than ${String(exchange.call.maxResponseBytes)} bytes.`;
        this.#reject(new ConnectError(text, Code.ResourceExhausted));
      } else this.#fail(error);
    }
  }

  #end(): void {
    if (this.#exchange?.reader.end() === true) this.#resolve(this.#exchange);
    this.destroy();
  }

  #resolve({ reader, resolve }: Exchange): void {
    this.#settle();
    const { status, headers, body } = reader;
    // If the response precedes the end of the request, the rest of the request is still being sent.
    if (reader.isKept && this.#socket.writableLength === 0 && !this.#socket.destroyed) this.#onIdle(this);
    else this.destroy();
    resolve({ status, headers, body, isLast: headers['connection'] === 'close' });
  }

  #fail(error: unknown): void {
    if (this.#exchange !== undefined) this.#reject(new ChannelError(error, this.#exchange.isSent));
  }

  /** Ends the exchange. Also closes the connection, because the response may still arrive. */
  #reject(reason: unknown): void {
    const exchange = this.#exchange;
    this.#settle();
    this.destroy();
    exchange?.reject(reason);
  }

  #settle(): void {
    if (this.#exchange === undefined) return;
    this.#exchange.call.end.onAbort = undefined;
    this.#exchange = undefined;
  }
}
