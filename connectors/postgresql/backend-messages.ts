import { HandlerError } from '@fairlead/connector-runtime/handler';

/** Maximum bytes of a row, and of any other message. */
const MAX_ROW_BYTES = 4 * 1024 * 1024;
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Maximum bytes of a message before the login. */
const MAX_LOGIN_MESSAGE_BYTES = 64 * 1024;
/** Maximum bytes that a server sends during one call. Statements end earlier, when their result is too large. */
const MAX_CALL_BYTES = 16 * 1024 * 1024;
const MAX_CALL_ROWS = 100_000;
/** Maximum messages of a call besides rows, including notices. */
const MAX_CALL_MESSAGES = 10_000;
/** Maximum number of hash iterations that a server may require for a SCRAM login. PostgreSQL's default is 4 096. */
const MAX_SCRAM_ITERATIONS = 100_000;
/** PostgreSQL's own maximum number of columns of a result. */
const MAX_COLUMNS = 1664;

/** Bytes of a message's type and length. The length includes itself. */
const HEADER_BYTES = 5;
const LENGTH_BYTES = 4;

/** The states of a login; each of its messages may come once, and only in this order. */
type LoginState = 'start' | 'password' | 'sasl' | 'saslContinued' | 'saslFinished' | 'done';

/**
 * Reads a server's messages and checks each one: the protocol must allow it at this point, its parts must fill it exactly, and it must be
 * within the limits. An unchecked message could make the driver read beyond its end, loop without end, or buffer whatever length it states.
 * Throws HandlerError; the connection is not usable afterwards.
 */
export class BackendMessages {
  readonly #deliver: (messages: Buffer) => void;
  /** A message that has not arrived completely: the first `#heldBytes` of the buffer. */
  #buffer: Buffer = Buffer.alloc(0);
  #heldBytes = 0;
  #login: LoginState = 'start';
  #columns = 0;
  #bytes = 0;
  #rows = 0;
  #messages = 0;
  #isIdle = false;

  /** `deliver` receives complete, checked messages in order; messages that arrive together are delivered together. */
  constructor(deliver: (messages: Buffer) => void) {
    this.#deliver = deliver;
  }

  /** Called when a call begins; the limits count from here. */
  startCall(): void {
    this.#isIdle = false;
    this.#bytes = 0;
    this.#rows = 0;
    this.#messages = 0;
  }

  /**
   * Called when a call ends. Until the next call, the server may not send anything, although the protocol allows it, because no limits
   * would apply.
   */
  endCall(): void {
    if (this.#heldBytes > 0) throw broken('a message goes on after the end of its statement');
    this.#isIdle = true;
  }

  /** Processes the next bytes of the connection. */
  push(chunk: Buffer): void {
    if (this.#isIdle) throw new HandlerError('The server sent a message that nobody asked for.');
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_CALL_BYTES) throw tooMuch('bytes');
    const bytes = this.#heldBytes === 0 ? chunk : this.#held(chunk);
    let at = 0;
    let delivered = 0;
    const deliver = (): void => {
      const messages = bytes.subarray(delivered, at);
      delivered = at;
      if (messages.length > 0) this.#deliver(messages);
    };
    try {
      while (at + HEADER_BYTES <= bytes.length) {
        const end = at + 1 + this.#checkedLength(bytes, at);
        if (end > bytes.length) break;
        const type = String.fromCharCode(bytes[at] ?? 0);
        if (type === 'D') this.#rows += 1;
        else this.#messages += 1;
        if (this.#rows > MAX_CALL_ROWS) throw tooMuch('rows');
        if (this.#messages > MAX_CALL_MESSAGES) throw tooMuch('messages');
        this.#check(type, new Fields(bytes, at + HEADER_BYTES, end));
        // Notices and notifications are not delivered, because nothing reads them.
        if (type === 'N' || type === 'A') {
          deliver();
          delivered = end;
        }
        at = end;
      }
    } finally {
      // The messages before an invalid one are delivered, because they may say why the call failed.
      deliver();
    }
    // A new buffer, because the driver may keep parts of the delivered messages.
    this.#buffer = at === bytes.length ? Buffer.alloc(0) : Buffer.from(bytes.subarray(at));
    this.#heldBytes = this.#buffer.length;
  }

  /** Appends a chunk to the held bytes; the buffer doubles, so that tiny chunks cost no more than large ones. */
  #held(chunk: Buffer): Buffer {
    const size = this.#heldBytes + chunk.length;
    if (size > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, this.#heldBytes);
      this.#buffer = larger;
    }
    chunk.copy(this.#buffer, this.#heldBytes);
    this.#heldBytes = size;
    return this.#buffer.subarray(0, size);
  }

  #checkedLength(bytes: Buffer, at: number): number {
    const length = bytes.readUInt32BE(at + 1);
    const isRow = bytes[at] === 0x44;
    const limit =
      this.#login !== 'done' ? MAX_LOGIN_MESSAGE_BYTES : isRow ? MAX_ROW_BYTES : MAX_MESSAGE_BYTES;
    if (length < LENGTH_BYTES) throw broken('a message has no length');
    if (length > limit) {
      throw new HandlerError(
        isRow
          ? 'A row of the result is larger than 4 MiB. Request fewer or smaller columns.'
          : `The database sent a message of more than ${limit / 1024} KiB.`,
      );
    }
    return length;
  }

  #check(type: string, fields: Fields): void {
    if (this.#login !== 'done' && !'REN'.includes(type)) throw broken(`${type} before the login`);
    switch (type) {
      case 'R':
        this.#checkLogin(fields);
        return;
      case 'T':
        this.#columns = columnCount(fields);
        for (let column = 0; column < this.#columns; column += 1) {
          fields.text();
          fields.skip(18);
        }
        break;
      case 'D':
        if (fields.int16() !== this.#columns) throw broken('a row has other columns than its result');
        for (let column = 0; column < this.#columns; column += 1) {
          const length = fields.int32();
          if (length !== -1) fields.skip(length);
        }
        break;
      case 'E':
      case 'N':
        while (fields.byte() !== 0) fields.text();
        break;
      case 'S':
        fields.text();
        fields.text();
        break;
      case 'A':
        fields.skip(4);
        fields.text();
        fields.text();
        break;
      case 'C':
        fields.text();
        break;
      case 'Z':
        fields.skip(1);
        break;
      case 'K':
        fields.skip(8);
        fields.rest();
        break;
      case 't':
        fields.skip(4 * fields.int16());
        break;
      case 'G':
      case 'H':
        fields.skip(1);
        fields.skip(2 * fields.int16());
        break;
      case 'd':
        fields.rest();
        break;
      case '1':
      case '2':
      case '3':
      case 'n':
      case 'I':
      case 'c':
        break;
      default:
        throw broken('a message of an unknown type');
    }
    fields.end();
  }

  #checkLogin(fields: Fields): void {
    const request = fields.int32();
    const from = (...states: readonly LoginState[]): void => {
      if (!states.includes(this.#login)) throw broken('the login is out of order');
    };
    switch (request) {
      case 0:
        from('start', 'password', 'saslFinished');
        this.#login = 'done';
        break;
      case 3:
        from('start');
        this.#login = 'password';
        break;
      case 5:
        from('start');
        fields.skip(4);
        this.#login = 'password';
        break;
      case 10:
        from('start');
        while (fields.text() > 0);
        this.#login = 'sasl';
        break;
      case 11:
        from('sasl');
        // Each of these makes the driver derive a key, which is deliberately expensive.
        checkIterations(fields.rest().toString('utf8'));
        this.#login = 'saslContinued';
        break;
      case 12:
        from('saslContinued');
        fields.rest();
        this.#login = 'saslFinished';
        break;
      default:
        throw new HandlerError(`The server requires a login of a kind that is not supported (${request}).`);
    }
    fields.end();
  }
}

/** Checks the first message of a server in a SCRAM login: RFC 5802, `r=…,s=…,i=4096`. */
function checkIterations(message: string): void {
  for (const [, iterations] of message.matchAll(/(?:^|,)i=(\d+)/g)) {
    if (Number(iterations) > MAX_SCRAM_ITERATIONS)
      throw new HandlerError(`The server asks for more than ${MAX_SCRAM_ITERATIONS} SCRAM iterations.`);
  }
}

function columnCount(fields: Fields): number {
  const count = fields.int16();
  if (count >= 0 && count <= MAX_COLUMNS) return count;
  throw new HandlerError(`The result has more than ${MAX_COLUMNS} columns.`);
}

/** Reads the parts of one message; throws HandlerError if a part exceeds the message. */
class Fields {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  byte(): number {
    this.skip(1);
    return this.#bytes.readUInt8(this.#at - 1);
  }

  int16(): number {
    this.skip(2);
    return this.#bytes.readInt16BE(this.#at - 2);
  }

  int32(): number {
    this.skip(4);
    return this.#bytes.readInt32BE(this.#at - 4);
  }

  /** Skips a text that ends with a zero; returns its length. */
  text(): number {
    const start = this.#at;
    const end = this.#bytes.indexOf(0, start);
    if (end < 0 || end >= this.#end) throw broken('a text has no end');
    this.#at = end + 1;
    return end - start;
  }

  skip(length: number): void {
    if (length < 0 || this.#at + length > this.#end) throw broken('a message ends too early');
    this.#at += length;
  }

  rest(): Buffer {
    const rest = this.#bytes.subarray(this.#at, this.#end);
    this.#at = this.#end;
    return rest;
  }

  end(): void {
    if (this.#at !== this.#end) throw broken('a message is longer than its content');
  }
}

function broken(detail: string): HandlerError {
  return new HandlerError(`The server does not follow the PostgreSQL protocol: ${detail}.`);
}

function tooMuch(what: string): HandlerError {
  return new HandlerError(`The database sent too many ${what} for one call. Request less data.`);
}
