import type { Socket } from 'node:net';
import { EgressError } from './error.ts';

/** The maximum size of a response before its body, with interim responses. The parser bounds only the names and values of headers. */
const MAX_HEAD_BYTES = 64 * 1024;
/** The maximum number of headers: each costs the parser about 2 µs, however short it is. */
const MAX_HEADERS = 1_000;
/** The maximum number of bytes between two pieces of a body, or after the last one: sizes and extensions of chunks, trailers. */
const MAX_FRAMING_BYTES = 8 * 1024;
/** A response may take this many reads, and one more per BYTES_PER_READ. Each read wakes the process, however few bytes it returns. */
const MAX_SMALL_READS = 3_000;
const BYTES_PER_READ = 2 * 1024;
/** The parser processes a whole buffer even if a limit is passed at its beginning. */
const SLICE_BYTES = { body: 4 * 1024, framing: 1024 } as const;

const LINE_FEED = 0x0a;

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
  #lines = 0;
  #framingBytes = 0;

  constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#host = host;
    const read: (size?: number) => unknown = socket.read.bind(socket);
    // undici reads without a size; the stream's own calls have one.
    socket.read = (size) => {
      if (size !== undefined) return read(size);
      if (socket.destroyed) return null;
      const slice = Math.min(socket.readableLength, this.#sliceBytes());
      const chunk = slice === 0 ? read() : read(slice);
      return Buffer.isBuffer(chunk) ? this.#count(chunk) : null;
    };
  }

  /** Bytes of this exchange received so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Starts a new exchange. */
  start(): void {
    this.#bytes = 0;
    this.#reads = 0;
    this.#isHead = true;
    this.#lines = 0;
    this.#framingBytes = 0;
    this.#maxBytes = MAX_HEAD_BYTES;
  }

  /** Call when the headers of the response are complete; with its body, the response may have `maxBytes`. */
  endHead(maxBytes: number): void {
    this.#isHead = false;
    this.#maxBytes = maxBytes;
  }

  /** Call when a piece of the body was among the bytes read last. */
  endFraming(): void {
    this.#framingBytes = 0;
  }

  #sliceBytes(): number {
    return this.#isHead || this.#framingBytes > 0 ? SLICE_BYTES.framing : SLICE_BYTES.body;
  }

  #count(chunk: Buffer): Buffer | null {
    this.#bytes += chunk.length;
    this.#reads += 1;
    if (this.#isHead) this.#lines += linesOf(chunk);
    else this.#framingBytes += chunk.length;
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
    if (this.#isHead && this.#lines > MAX_HEADERS) {
      return new EgressError('headers_too_large', `${this.#host} sent more than ${MAX_HEADERS} headers.`);
    }
    if (this.#framingBytes > MAX_FRAMING_BYTES) {
      return new EgressError(
        'invalid_response',
        `${this.#host} sent more than 8 KiB between two pieces of its response.`,
      );
    }
    if (this.#reads > MAX_SMALL_READS + this.#bytes / BYTES_PER_READ) {
      return new EgressError('invalid_response', `${this.#host} sent its response in too many small pieces.`);
    }
    return undefined;
  }
}

function linesOf(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1;
  return lines;
}
