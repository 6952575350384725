import type { ServerResponse } from 'node:http';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const END = Buffer.from('\n\n');
const KEEP_ALIVE = ': keep-alive\n\n';

/** An open event-stream response (`text/event-stream`). */
export class EventStream {
  readonly #response: ServerResponse;

  /**
   * Sends the headers and, if given, `retryMs`, the client's delay before it reconnects. `isLast`: the connection
   * serves no further request. `onClose` is called when either side closes.
   */
  constructor(
    response: ServerResponse,
    o: { readonly retryMs?: number; readonly isLast?: boolean; readonly onClose: () => void },
  ) {
    this.#response = response;
    if (o.isLast === true) response.setHeader('connection', 'close');
    response.once('close', o.onClose);
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // Makes nginx pass each event on at once.
      'x-accel-buffering': 'no',
    });
    if (o.retryMs !== undefined) response.write(`retry: ${o.retryMs}\n\n`);
  }

  /** Bytes that the client has not read yet. */
  get bufferedBytes(): number {
    return this.#response.writableLength;
  }

  /** Whether the stream is still open for events. */
  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Whether the client is currently too slow for another event. */
  get isFull(): boolean {
    return this.#response.writableNeedDrain;
  }

  /** Calls back when the client has read everything, or the stream is closed. */
  onceTaken(done: () => void): void {
    const settle = (): void => {
      this.#response.off('drain', settle);
      this.#response.off('close', settle);
      done();
    };
    if (!this.isFull || !this.isOpen) done();
    else this.#response.once('drain', settle).once('close', settle);
  }

  /** Sends an event whose data is one line of text. A client sends the `id` when it reconnects. */
  sendText({
    event,
    data,
    id,
  }: {
    readonly event: string;
    readonly data: string;
    readonly id: string;
  }): void {
    this.#response.write(`event: ${event}\nid: ${id}\ndata: ${data}\n\n`);
  }

  /** Sends an event without data. A client sends its id when it reconnects, which it does after `retryMs`. */
  prime(id: string, retryMs: number): void {
    this.#response.write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`);
  }

  /** Sends an event whose data is JSON in UTF-8. A client sends the `id` when it reconnects. */
  sendJson(event: string, json: Uint8Array, id?: string): void {
    const head = id === undefined ? `event: ${event}\ndata: ` : `event: ${event}\nid: ${id}\ndata: `;
    const parts = [Buffer.from(head), onOneLine(json), END];
    this.#response.write(Buffer.concat(parts));
  }

  /** Sends a comment, which shows proxies and the client that the connection is alive; not to a client that reads nothing. */
  keepAlive(): void {
    if (this.#response.writableLength === 0) this.#response.write(KEEP_ALIVE);
  }

  /** Ends the response after everything was sent. With `retryMs`, the client reconnects after that time. */
  end(retryMs?: number): void {
    if (retryMs !== undefined && this.isOpen) this.#response.write(`retry: ${retryMs}\n\n`);
    this.#response.end();
  }

  /** Destroys the connection at once. */
  cut(): void {
    this.#response.destroy();
  }
}

/** JSON without line breaks, which would end the data line and are mere white space in JSON. */
function onOneLine(json: Uint8Array): Uint8Array {
  if (!json.includes(LINE_FEED) && !json.includes(CARRIAGE_RETURN)) return json;
  return json.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte));
}
