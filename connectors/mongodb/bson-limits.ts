import { HandlerError } from '@fairlead/connector-runtime/handler';
import { MAX_JSON_VALUES } from '@fairlead/connector-runtime/json-limits';

/** Maximum nesting depth of documents and arrays; a MongoDB server stores at most 100 levels. */
const MAX_BSON_DEPTH = 200;
/** Maximum number of values in a reply besides its result: members of the reply, its cursor and its batch. */
const REPLY_VALUES = 1_000;

/** Sizes of types with a fixed size, by type byte. */
const FIXED_SIZES: Readonly<Record<number, number>> = {
  0x01: 8,
  0x06: 0,
  0x07: 12,
  0x08: 1,
  0x09: 8,
  0x0a: 0,
  0x10: 4,
  0x11: 8,
  0x12: 8,
  0x13: 16,
  0x7f: 0,
  0xff: 0,
};

/** The bytes are not a BSON document. */
export class BsonError extends Error {
  override readonly name = 'BsonError';
}

/**
 * Checks a document without building it. Throws HandlerError above MAX_JSON_VALUES values, and BsonError if the document is malformed or
 * nested deeper than MAX_BSON_DEPTH.
 */
export function requireBsonLimits(bytes: Buffer): void {
  const walk = new Walk(bytes);
  if (walk.document(0, 0) !== bytes.length) throw new BsonError('The document is shorter than its message.');
}

class Walk {
  readonly #bytes: Buffer;
  #values = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Returns the end of the document that begins at `start`. */
  document(start: number, depth: number): number {
    if (depth > MAX_BSON_DEPTH) throw new BsonError(`The document has more than ${MAX_BSON_DEPTH} levels.`);
    const end = start + this.#length(start);
    let at = start + 4;
    for (;;) {
      const type = this.#byte(at);
      at += 1;
      if (type === 0) break;
      this.#values += 1;
      if (this.#values > MAX_JSON_VALUES + REPLY_VALUES)
        throw new HandlerError(
          `The result holds more than ${MAX_JSON_VALUES} values. Request fewer documents or fields.`,
        );
      at = this.#value(type, this.#afterText(at), depth);
      if (at >= end) throw new BsonError('A value is longer than its document.');
    }
    if (at !== end) throw new BsonError('A document has another length than it says.');
    return end;
  }

  /** Returns the end of the value that begins at `at`. */
  #value(type: number, at: number, depth: number): number {
    const size = FIXED_SIZES[type];
    if (size !== undefined) return at + size;
    switch (type) {
      case 0x02: // string
      case 0x0d: // code
      case 0x0e: // symbol
        return at + 4 + this.#length(at, 1);
      case 0x03: // document
      case 0x04: // array
        return this.document(at, depth + 1);
      case 0x05: // binary
        return at + 5 + this.#length(at, 0);
      case 0x0b: // regular expression: pattern and options
        return this.#afterText(this.#afterText(at));
      case 0x0c: // pointer: a string and an id
        return at + 4 + this.#length(at, 1) + 12;
      case 0x0f: // code with a scope
        this.#requireEnd(this.document(at + 4 + 4 + this.#length(at + 4, 1), depth + 1), at);
        return at + this.#length(at);
      default:
        throw new BsonError(`A value has the unknown type ${type}.`);
    }
  }

  #requireEnd(end: number, start: number): void {
    if (end !== start + this.#length(start)) throw new BsonError('A scope has another length than it says.');
  }

  #byte(at: number): number {
    const byte = this.#bytes[at];
    if (byte === undefined) throw new BsonError('The document ends in a value.');
    return byte;
  }

  /** The length field at `at`. */
  #length(at: number, least = 5): number {
    if (at + 4 > this.#bytes.length) throw new BsonError('The document ends in a length.');
    const length = this.#bytes.readInt32LE(at);
    if (length < least || at + length > this.#bytes.length)
      throw new BsonError('A length leads out of the document.');
    return length;
  }

  /** Returns the position after a text, which ends with a zero byte. */
  #afterText(at: number): number {
    const zero = this.#bytes.indexOf(0, at);
    if (zero === -1) throw new BsonError('A text has no end.');
    return zero + 1;
  }
}
