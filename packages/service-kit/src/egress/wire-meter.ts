import type { Socket } from 'node:net';
import { EgressError } from './error.ts';

/** What a response takes before its body, with interim responses. The parser bounds names and values of headers only. */
const MAX_HEAD_BYTES = 64 * 1024;
/** Each read wakes the process, however little it brings: this many, and one more for every 2 KiB. */
const MAX_SMALL_READS = 3_000;
const BYTES_PER_READ = 2 * 1024;
/** The parser goes on to the end of what it was given, even if a limit is passed at its beginning. */
const SLICE_BYTES = 4 * 1024;

/**
 * Counts what a peer sends during one exchange, where undici takes it from the socket: framing and repetition that the
 * HTTP parser swallows (extensions of chunks, trailers, long status lines, a byte at a time) cost time but show up
 * nowhere else. Above a limit the socket is destroyed with an EgressError.
 */
export class WireMeter {
  readonly #socket: Socket;
  readonly #host: string;
  #bytes = 0;
  #reads = 0;
  #maxBytes = MAX_HEAD_BYTES;
  #isHead = true;

  constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#host = host;
    const read: (size?: number) => unknown = socket.read.bind(socket);
    // undici reads without a size; the stream's own calls have one.
    socket.read = (size) => {
      if (size !== undefined) return read(size);
      if (socket.destroyed) return null;
      const slice = Math.min(socket.readableLength, SLICE_BYTES);
      const chunk = slice === 0 ? read() : read(slice);
      return Buffer.isBuffer(chunk) ? this.#count(chunk) : null;
    };
  }

  /** Bytes of this exchange that came back. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Starts a new exchange. */
  start(): void {
    this.#bytes = 0;
    this.#reads = 0;
    this.#isHead = true;
    this.#maxBytes = MAX_HEAD_BYTES;
  }

  /** The headers of the response are complete; with its body, it may have `maxBytes`. */
  endHead(maxBytes: number): void {
    this.#isHead = false;
    this.#maxBytes = maxBytes;
  }

  #count(chunk: Buffer): Buffer | null {
    this.#bytes += chunk.length;
    this.#reads += 1;
    const error = this.#excess();
    if (error === undefined) return chunk;
    this.#socket.destroy(error);
    return null;
  }

  #excess(): EgressError | undefined {
    if (this.#bytes > this.#maxBytes) {
      if (this.#isHead) {
        return new EgressError('headers_too_large', `${this.#host} sent more than 64 KiB before a response.`);
      }
      return new EgressError(
        'response_too_large',
        `The response of ${this.#host} takes more than ${this.#maxBytes} bytes.`,
      );
    }
    if (this.#reads > MAX_SMALL_READS + this.#bytes / BYTES_PER_READ) {
      return new EgressError('invalid_response', `${this.#host} sent its response in too many small pieces.`);
    }
    return undefined;
  }
}
