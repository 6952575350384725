import type { ExchangeOptions } from './exchange.ts';
import type { SocketPool } from './socket-pool.ts';

/** A response with the requested part of its body, as it was sent. */
export interface ReceivedResponse {
  readonly status: number;
  /** Names in lower case; a repeated header's values are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether there is more of the body. */
  readonly isTruncated: boolean;
}

/** Sends a request and receives its response, up to `maxBytes` of the body; beyond them the connection is closed. */
export function receive(
  pool: SocketPool,
  options: ExchangeOptions,
  maxBytes: number,
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const body = new GrowingBuffer();
    let status = 0;
    let headers: Record<string, string> = {};
    pool.dispatch(options, {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, receivedStatus, receivedHeaders) => {
        status = receivedStatus;
        headers = flatten(receivedHeaders);
      },
      onResponseData: (controller, chunk) => {
        const room = maxBytes - body.length;
        body.append(chunk.length > room ? chunk.subarray(0, room) : chunk);
        if (chunk.length <= room) return;
        resolve({ status, headers, body: body.bytes(), isTruncated: true });
        controller.abort(new Error('The rest of the response is not needed.'));
      },
      onResponseEnd: () => resolve({ status, headers, body: body.bytes(), isTruncated: false }),
      onResponseError: (_controller, error) => reject(error),
    });
  });
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat.push([name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]);
  }
  return Object.fromEntries(flat);
}

const INITIAL_BYTES = 16 * 1024;

/** The bytes in one buffer, however small the chunks in which they arrive. */
class GrowingBuffer {
  #buffer = Buffer.alloc(0);
  length = 0;

  append(chunk: Buffer): void {
    const needed = this.length + chunk.length;
    if (this.length === 0) {
      // Nearly all bodies arrive in one chunk; that buffer keeps no extra memory.
      this.#buffer = Buffer.from(chunk);
      this.length = needed;
      return;
    }
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2, INITIAL_BYTES));
      this.#buffer.copy(larger, 0, 0, this.length);
      this.#buffer = larger;
    }
    chunk.copy(this.#buffer, this.length);
    this.length = needed;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }
}
