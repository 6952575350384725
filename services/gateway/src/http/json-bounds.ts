import type { ApiError } from '@fairlead/errors/api-error';
import { validationError } from '@fairlead/errors/api-error';

/** Default of the most values in a body: every object, array and scalar counts as one, the body itself too. */
export const MAX_JSON_VALUES = 100_000;

/** Maximum nesting of objects and arrays in a body. Protobuf readers stop at 100 messages, and each level takes two. */
export const MAX_DEPTH = 32;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const LETTER_A = 0x61;
const LETTER_E = 0x65;
const LETTER_F = 0x66;
const LETTER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Set in a small letter, not in its capital. */
const SMALL = 0x20;

/** Every number whose whole digits and exponent together are fewer is within IEEE 754. */
const MAX_MAGNITUDE = 309;
const PROTO = Buffer.from('__proto__');
/** The longest spelling of the name: every character escaped. */
const MAX_PROTO_BYTES = 6 * PROTO.length;

/**
 * Throws VALIDATION_ERROR if the JSON in `bytes` has more than `maxValues` values, or more than MAX_DEPTH levels inside
 * of the body, before any of it is built. Returns whether guardJson has to see what JSON.parse builds: it holds text
 * that is not Unicode, a number beyond IEEE 754, or a name that guardJson refuses or removes. Reads each byte once; what
 * is not JSON is left to JSON.parse.
 */
export function requireJsonBounds(bytes: Uint8Array, maxValues: number): boolean {
  const scan = new JsonScan(bytes);
  let values = 1;
  let depth = 0;
  for (; scan.at < bytes.length; scan.at += 1) {
    const byte = bytes[scan.at] ?? 0;
    if (byte <= SPACE) continue;
    if (byte === QUOTE) {
      scan.skipText();
    } else if (byte === COMMA) {
      values += 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth += 1;
      // The body itself is not counted.
      if (depth > MAX_DEPTH + 1) throw refusal(`must not be nested more than ${MAX_DEPTH} levels deep`);
      if (!scan.skipBracket()) values += 1;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth -= 1;
    } else if (byte === MINUS || isDigit(byte)) {
      scan.skipNumber();
    }
    if (values > maxValues) throw refusal(`must not hold more than ${maxValues} JSON values`);
  }
  return scan.isSuspect;
}

function refusal(issue: string): ApiError {
  return validationError({ field: 'body', issue });
}

/** Skips strings and numbers, and notes what guardJson has to see. */
class JsonScan {
  at = 0;
  isSuspect = false;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Goes to the closing quote of the string that opens here; behind the bytes if there is none. */
  skipText(): void {
    const bytes = this.#bytes;
    const start = this.at + 1;
    let at = start;
    /** Where the second half of a surrogate pair has to follow. */
    let lowAt: number | undefined;
    let hasEscape = false;
    let hasNul = false;
    for (; ; at += 1) {
      let byte = bytes[at];
      while (byte !== QUOTE && byte !== BACKSLASH && byte !== undefined) byte = bytes[(at += 1)];
      if (byte !== BACKSLASH) break;
      const unit = codeUnit(bytes, at);
      const isLow = unit !== undefined && unit >= 0xdc00 && unit <= 0xdfff;
      if (lowAt !== (isLow ? at : undefined)) this.isSuspect = true;
      lowAt = unit !== undefined && unit >= 0xd800 && unit <= 0xdbff ? at + 6 : undefined;
      at += unit === undefined ? 1 : 5;
      if (unit === undefined) continue;
      hasEscape = true;
      if (unit === 0) hasNul = true;
    }
    this.at = at;
    if (lowAt !== undefined) this.isSuspect = true;
    if (hasNul || this.#isProto(start, at, hasEscape)) {
      if (bytes[this.#afterSpace(at + 1)] === COLON) this.isSuspect = true;
    }
  }

  /** Goes to the last byte of the number that begins here. */
  skipNumber(): void {
    const bytes = this.#bytes;
    const start = bytes[this.at] === MINUS ? this.at + 1 : this.at;
    const wholeEnd = this.#afterDigits(start);
    let at = bytes[wholeEnd] === POINT ? this.#afterDigits(wholeEnd + 1) : wholeEnd;
    let magnitude = wholeEnd - start;
    if (((bytes[at] ?? 0) | SMALL) === LETTER_E) {
      const signAt = at + 1;
      const isSigned = bytes[signAt] === PLUS || bytes[signAt] === MINUS;
      const digitsAt = isSigned ? signAt + 1 : signAt;
      at = this.#afterDigits(digitsAt);
      const exponent = this.#clampedInteger(digitsAt, at);
      magnitude += bytes[signAt] === MINUS ? -exponent : exponent;
    }
    this.at = at - 1;
    if (magnitude >= MAX_MAGNITUDE) this.isSuspect = true;
  }

  /** Whether the object or array that opens here is empty. Goes behind its bracket, and the space that follows. */
  skipBracket(): boolean {
    const at = this.#afterSpace(this.at + 1);
    this.at = at - 1;
    return this.#bytes[at] === CLOSE_ARRAY || this.#bytes[at] === CLOSE_OBJECT;
  }

  #afterDigits(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    let byte = bytes[at];
    while (byte !== undefined && byte >= ZERO && byte <= NINE) byte = bytes[(at += 1)];
    return at;
  }

  /** The integer that these digits write, or some greater one if there are many. */
  #clampedInteger(start: number, end: number): number {
    let value = 0;
    for (let at = start; at < end && value < MAX_MAGNITUDE * 10; at += 1)
      value = value * 10 + (this.#bytes[at] ?? 0) - ZERO;
    return value;
  }

  #afterSpace(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    let byte = bytes[at];
    while (byte === SPACE || byte === LINE_FEED || byte === TAB || byte === CARRIAGE_RETURN)
      byte = bytes[(at += 1)];
    return at;
  }

  /** Whether the string from `start` to `end` is `__proto__`. */
  #isProto(start: number, end: number, hasEscape: boolean): boolean {
    const length = end - start;
    if (hasEscape ? length > MAX_PROTO_BYTES : length !== PROTO.length) return false;
    let at = start;
    for (const expected of PROTO) {
      const unit = hasEscape ? codeUnit(this.#bytes, at) : undefined;
      if ((unit ?? this.#bytes[at]) !== expected) return false;
      at += unit === undefined ? 1 : 6;
    }
    return at === end;
  }
}

/** The code unit that `\uXXXX` at `at` writes; undefined if there is something else. */
function codeUnit(bytes: Uint8Array, at: number): number | undefined {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_U) return undefined;
  let unit = 0;
  for (let digit = at + 2; digit < at + 6; digit += 1) {
    const byte = bytes[digit] ?? 0;
    const letter = byte | SMALL;
    if (isDigit(byte)) unit = unit * 16 + byte - ZERO;
    else if (letter >= LETTER_A && letter <= LETTER_F) unit = unit * 16 + letter - LETTER_A + 10;
    else return undefined;
  }
  return unit;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
