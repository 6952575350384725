/** Maximum bytes of a response's head; far more than ours have. */
const MAX_HEAD_BYTES = 32 * 1024;
/** Maximum length of a line between chunks, and of a trailer. */
const MAX_LINE_BYTES = 4 * 1024;
/** Maximum number of informational responses before the response. */
const MAX_INTERIM = 16;

const CR = 0x0d;
const LF = 0x0a;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const LENGTH = /^\d{1,15}$/;
const CHUNK_SIZE = /^([\dA-Fa-f]{1,8})[ \t]*(?:;.*)?$/;

/** Header values by lower-case name; repeated headers are lists. */
export type HttpHeaders = Record<string, string | readonly string[] | undefined>;

/** Thrown for a response body above the limit. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

type State = 'head' | 'length' | 'close' | 'size' | 'chunk' | 'chunkEnd' | 'trailer' | 'done';

/** Parses one HTTP/1.1 response to a POST (RFC 9112) from pieces of any size. It keeps none of the buffers passed to it. */
export class ResponseReader {
  status = 0;
  headers: HttpHeaders = {};
  readonly #maxBytes: number;
  #state: State = 'head';
  #head: Buffer | undefined;
  #line = '';
  #interim = 0;
  #body = Buffer.alloc(0);
  #size = 0;
  /** Missing bytes of the body or of the current chunk. */
  #left = 0;
  #isKept = true;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether the connection can be reused; known at the end. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** The complete body; known at the end. */
  get body(): Uint8Array {
    return this.#size === this.#body.length ? this.#body : this.#body.subarray(0, this.#size);
  }

  /** Parses the next bytes; returns whether the response is complete. Throws if they are invalid or too many. */
  read(bytes: Buffer): boolean {
    let at = 0;
    while (at < bytes.length && this.#state !== 'done') at = this.#step(bytes, at);
    // Bytes after the response are unexpected.
    if (at < bytes.length) this.#isKept = false;
    return this.#state === 'done';
  }

  /** Handles the end of the connection; returns whether it completed the response. */
  end(): boolean {
    return this.#state === 'close';
  }

  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes, at);
      case 'length':
      case 'chunk':
        return this.#readPart(bytes, at);
      case 'close':
        this.#append(bytes, at, bytes.length);
        return bytes.length;
      default:
        return this.#readLine(bytes, at);
    }
  }

  #readHead(chunk: Buffer, at: number): number {
    // Usually the complete head arrives at once.
    const before = this.#head?.length ?? 0;
    const bytes = this.#head === undefined ? chunk : Buffer.concat([this.#head, chunk.subarray(at)]);
    const start = this.#head === undefined ? at : 0;
    const end = bytes.indexOf('\r\n\r\n', start, 'latin1');
    if ((end < 0 ? bytes.length : end) - start > MAX_HEAD_BYTES) throw new Error('The head is too large.');
    if (end < 0) {
      // Copied, because the buffer is reused.
      this.#head = Buffer.from(bytes.subarray(start));
      return chunk.length;
    }
    this.#head = undefined;
    this.#takeHead(bytes.toString('latin1', start, end));
    const consumed = end + 4;
    return before === 0 ? consumed : at + consumed - before;
  }

  #takeHead(head: string): void {
    let end = lineEnd(head, 0);
    const [, minor, status] = STATUS_LINE.exec(head.slice(0, end)) ?? [];
    if (status === undefined) throw new Error('This is no HTTP response.');
    this.status = Number(status);
    this.headers = {};
    while (end < head.length) {
      const start = end + 2;
      end = lineEnd(head, start);
      this.#takeHeader(head.slice(start, end));
    }
    if (this.status < 200) {
      this.#interim += 1;
      if (this.status === 101 || this.#interim > MAX_INTERIM) throw new Error('The response is not final.');
      return;
    }
    const { connection, 'content-length': length, 'transfer-encoding': coding } = this.headers;
    if (minor === '0' || isClosing(connection)) this.#isKept = false;
    if (this.status === 204 || this.status === 304) this.#state = 'done';
    else if (coding !== undefined) {
      if (length !== undefined || String(coding).toLowerCase() !== 'chunked')
        throw new Error('The coding of the transfer is not supported.');
      this.#state = 'size';
    } else if (length === undefined) {
      this.#isKept = false;
      this.#state = 'close';
    } else this.#takeLength(length);
  }

  #takeHeader(line: string): void {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0));
    if (!NAME.test(name)) throw new Error('A header is malformed.');
    const key = name.toLowerCase();
    const value = line.slice(colon + 1).trim();
    const known = this.headers[key];
    if (known === undefined) this.headers[key] = value;
    else this.headers[key] = [...(typeof known === 'string' ? [known] : known), value];
  }

  #takeLength(length: string | readonly string[]): void {
    if (typeof length !== 'string' || !LENGTH.test(length)) throw new Error('The length is malformed.');
    this.#left = Number(length);
    if (this.#left > this.#maxBytes) throw new BodyTooLargeError();
    this.#body = Buffer.allocUnsafe(this.#left);
    this.#state = this.#left === 0 ? 'done' : 'length';
  }

  #readPart(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#append(bytes, at, end);
    this.#left -= end - at;
    if (this.#left === 0) this.#state = this.#state === 'chunk' ? 'chunkEnd' : 'done';
    return end;
  }

  #readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(LF, at);
    this.#line += bytes.toString('latin1', at, end < 0 ? bytes.length : end);
    if (this.#line.length > MAX_LINE_BYTES) throw new Error('A line is too long.');
    if (end < 0) return bytes.length;
    if (this.#line.charCodeAt(this.#line.length - 1) !== CR) throw new Error('A line is malformed.');
    this.#takeLine(this.#line.slice(0, -1));
    this.#line = '';
    return end + 1;
  }

  #takeLine(line: string): void {
    if (this.#state === 'trailer') {
      if (line === '') this.#state = 'done';
      return;
    }
    if (this.#state === 'chunkEnd') {
      if (line !== '') throw new Error('A chunk is longer than its size.');
      this.#state = 'size';
      return;
    }
    const size = CHUNK_SIZE.exec(line)?.[1];
    if (size === undefined) throw new Error('The size of a chunk is malformed.');
    this.#left = Number.parseInt(size, 16);
    if (this.#size + this.#left > this.#maxBytes) throw new BodyTooLargeError();
    this.#state = this.#left === 0 ? 'trailer' : 'chunk';
  }

  #append(bytes: Buffer, start: number, end: number): void {
    const size = this.#size + end - start;
    if (size > this.#maxBytes) throw new BodyTooLargeError();
    if (size > this.#body.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, Math.min(2 * this.#body.length, this.#maxBytes)));
      this.#body.copy(larger, 0, 0, this.#size);
      this.#body = larger;
    }
    bytes.copy(this.#body, this.#size, start, end);
    this.#size = size;
  }
}

function lineEnd(head: string, from: number): number {
  const end = head.indexOf('\r\n', from);
  return end < 0 ? head.length : end;
}

function isClosing(connection: string | readonly string[] | undefined): boolean {
  // Nearly always.
  if (connection === 'keep-alive' || connection === undefined) return false;
  return String(connection)
    .split(',')
    .some((option) => option.trim().toLowerCase() === 'close');
}
