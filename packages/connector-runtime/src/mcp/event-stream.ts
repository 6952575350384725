/** An event of a stream that has data. */
export interface StreamEvent {
  /** `message` if the stream does not state it. */
  readonly type: string;
  readonly data: string;
}

/**
 * Splits a stream of server-sent events (WHATWG HTML, "Server-sent events") into its events; those without data are left
 * out. Linear in the text, however small its pieces are.
 */
export class EventStream {
  /** The pieces of a line whose end has not arrived yet. */
  #line: string[] = [];
  #data: string[] = [];
  #type = '';
  #endsWithReturn = false;
  #id: string | undefined;
  #lastId: string | undefined;
  #retryMs: number | undefined;

  /** Id of the last whole event, or of one before it if it has none: the stream can be opened again after it. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  /** Time to wait before that, if the stream states it. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** Takes the next piece of the text; returns the events that end in it. */
  push(piece: string): StreamEvent[] {
    // Of a line break that was cut in two, the first half has ended the line.
    const text = this.#endsWithReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    this.#endsWithReturn = piece === '' ? this.#endsWithReturn : piece.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    const rest = lines.pop() ?? '';
    const events: StreamEvent[] = [];
    for (const part of lines) {
      this.#line.push(part);
      const event = this.#take(this.#line.join(''));
      this.#line = [];
      if (event !== undefined) events.push(event);
    }
    if (rest !== '') this.#line.push(rest);
    return events;
  }

  /** Takes a whole line; returns the event that it ends, if it ends one. */
  #take(line: string): StreamEvent | undefined {
    if (line === '') {
      this.#lastId = this.#id;
      const hasData = this.#data.length > 0;
      const event = { type: this.#type || 'message', data: this.#data.join('\n') };
      this.#data = [];
      this.#type = '';
      return hasData ? event : undefined;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') this.#data.push(value);
    if (name === 'event') this.#type = value;
    if (name === 'id' && value !== '') this.#id = value;
    if (name === 'retry' && /^\d{1,9}$/.test(value)) this.#retryMs = Number(value);
    return undefined;
  }
}
