/**
 * Splits a stream of server-sent events (WHATWG HTML, "Server-sent events") into the data of its messages; events of
 * other types and without data are left out. Linear in the text, however small its pieces are.
 */
export class EventStream {
  /** The pieces of a line whose end has not arrived yet. */
  #line: string[] = [];
  #data: string[] = [];
  #type = '';
  #endsWithReturn = false;

  /** Takes the next piece of the text; returns the data of the messages that end in it. */
  push(piece: string): string[] {
    // Of a line break that was cut in two, the first half has ended the line.
    const text = this.#endsWithReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    this.#endsWithReturn = piece === '' ? this.#endsWithReturn : piece.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    const rest = lines.pop() ?? '';
    const messages: string[] = [];
    for (const part of lines) {
      this.#line.push(part);
      const message = this.#take(this.#line.join(''));
      this.#line = [];
      if (message !== undefined) messages.push(message);
    }
    if (rest !== '') this.#line.push(rest);
    return messages;
  }

  /** Takes a whole line; returns the data of the message that it ends, if it ends one. */
  #take(line: string): string | undefined {
    if (line === '') {
      const isMessage = this.#data.length > 0 && (this.#type === '' || this.#type === 'message');
      const data = this.#data.join('\n');
      this.#data = [];
      this.#type = '';
      return isMessage ? data : undefined;
    }
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') this.#data.push(value);
    if (name === 'event') this.#type = value;
    return undefined;
  }
}
