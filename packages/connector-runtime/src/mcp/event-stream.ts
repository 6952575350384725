/** A server-sent event with data. */
export interface StreamEvent {
  /** The event's type; `message` if not stated. */
  readonly type: string;
  readonly data: string;
}

/**
 * Parses a stream of server-sent events (WHATWG HTML, "Server-sent events"). Events without data are dropped. The
 * cost is linear in the text, even for tiny pieces.
 */
export class EventStream {
  /** The pieces of the last, incomplete line. */
  #line: string[] = [];
  #data: string[] = [];
  #type = '';
  #endsWithReturn = false;
  #id: string | undefined;
  #lastId: string | undefined;
  #retryMs: number | undefined;

  /** The last event id. The stream can be reopened after this event. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  /** Time to wait before reopening, if the stream states it. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** Parses the next piece of text; returns the events that it completes. */
  push(piece: string): StreamEvent[] {
    // A line break cut in two: its first half has already ended the line.
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

  /** Parses a complete line; returns the event that it completes, if any. */
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
