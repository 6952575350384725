import { MIN_MEMBER_BYTES, NameCounter } from './name-counter.ts';

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
const LETTER_E = 0x65;
const LETTER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** The bit by which a lower-case letter differs from its capital. */
const SMALL = 0x20;

/** A number with fewer digits (of integer part and exponent together) is always within IEEE 754. */
const MAX_MAGNITUDE = 309;
const PROTO = Buffer.from('__proto__');
/** Length of the longest spelling of `__proto__`: every character escaped. */
const MAX_PROTO_BYTES = 6 * PROTO.length;

const NO_UNIT = -1;
const HEX_DIGITS = Int8Array.from({ length: 256 }, (_byte, code) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase());
  return digit < 0 ? NO_UNIT : digit;
});

/** Length of escape-free text from which native code is used for searching. */
const SHORT_BYTES = 64;

/** Limits of a JSON text. */
export interface JsonBounds {
  /** Values: each object, array and scalar counts as one, including the root. */
  readonly maxValues: number;
  /** Different names, as NameCounter counts them. */
  readonly maxNames: number;
  /** Nesting depth of objects and arrays, including the root. */
  readonly maxDepth: number;
}

/** The result of checking a JSON text. */
export interface JsonBoundsCheck {
  /** The exceeded limit; undefined: none. */
  readonly exceeded: 'values' | 'names' | 'depth' | undefined;
  /** Whether the text contains invalid Unicode, a number beyond IEEE 754, the name `__proto__`, or a name with U+0000. */
  readonly isSuspect: boolean;
}

/**
 * Checks a JSON text against limits before anything is built from it. Reads each byte once, up to the first
 * violation. Text that is not JSON is left to JSON.parse; it may violate a limit too.
 */
export function checkJsonBounds(bytes: Uint8Array, bounds: JsonBounds): JsonBoundsCheck {
  const { maxValues, maxNames, maxDepth } = bounds;
  const scan = new JsonScan(bytes);
  const names = bytes.length < maxNames * MIN_MEMBER_BYTES ? undefined : new NameCounter(bytes, maxDepth);
  const refused = (exceeded: JsonBoundsCheck['exceeded']): JsonBoundsCheck => ({
    exceeded,
    isSuspect: scan.isSuspect,
  });
  let values = 1;
  let depth = 0;
  /** Only a string before a colon is a name. */
  let isAfterText = false;
  for (; scan.at < bytes.length; scan.at += 1) {
    const byte = bytes[scan.at] ?? 0;
    if (byte <= SPACE) continue;
    if (byte === QUOTE) {
      scan.skipText();
    } else if (byte === COMMA) {
      values += 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth += 1;
      if (depth > maxDepth) return refused('depth');
      if (byte === OPEN_OBJECT) names?.open(depth);
      if (!scan.skipBracket()) values += 1;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth -= 1;
    } else if (byte === MINUS || isDigit(byte)) {
      scan.skipNumber();
    } else if (byte === COLON && isAfterText && names !== undefined) {
      names.add(scan.textStart, scan.textEnd, depth);
      if (names.count > maxNames) return refused('names');
    }
    isAfterText = byte === QUOTE;
    if (values > maxValues) return refused('values');
  }
  return refused(undefined);
}

/** Skips strings and numbers, and notes what is suspect. */
class JsonScan {
  at = 0;
  isSuspect = false;
  /** Start of the last string; `textEnd`: its end. */
  textStart = 0;
  textEnd = 0;
  readonly #bytes: Uint8Array;
  /** The next quote and backslash found by the last search, so that no byte is searched twice for either. */
  #quote = -1;
  #backslash = -1;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Skips to the closing quote of the string that starts here; to the end of the bytes if there is none. */
  skipText(): void {
    const bytes = this.#bytes;
    const start = this.at + 1;
    let at = start;
    this.textStart = start;
    /** Position at which the second half of a surrogate pair must follow. */
    let lowAt: number | undefined;
    let hasEscape = false;
    let hasNul = false;
    for (; ; at += 1) {
      if (bytes[at] !== BACKSLASH && bytes[at] !== QUOTE) at = this.#afterPlain(at);
      if (bytes[at] !== BACKSLASH) break;
      const unit = bytes[at + 1] === LETTER_U ? codeUnit(bytes, at) : NO_UNIT;
      if (unit === NO_UNIT) {
        if (lowAt !== undefined) this.isSuspect = true;
        lowAt = undefined;
        at += 1;
        continue;
      }
      const isLow = unit >= 0xdc00 && unit <= 0xdfff;
      if (lowAt !== (isLow ? at : undefined)) this.isSuspect = true;
      lowAt = unit >= 0xd800 && unit <= 0xdbff ? at + 6 : undefined;
      at += 5;
      hasEscape = true;
      if (unit === 0) hasNul = true;
    }
    this.at = at;
    this.textEnd = Math.min(at, bytes.length);
    if (lowAt !== undefined) this.isSuspect = true;
    if (hasNul || this.#isProto(start, at, hasEscape)) {
      if (bytes[this.#afterSpace(at + 1)] === COLON) this.isSuspect = true;
    }
  }

  /** The next quote or backslash; the end of the bytes if there is none. */
  #afterPlain(from: number): number {
    const bytes = this.#bytes;
    const { length } = bytes;
    const shortEnd = Math.min(from + SHORT_BYTES, length);
    let at = from;
    while (at < shortEnd && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) at += 1;
    if (at < shortEnd || at === length) return at;
    // Native code is ten times as fast on long texts.
    if (this.#quote < at) this.#quote = indexOf(bytes, QUOTE, at);
    if (this.#backslash < at) this.#backslash = indexOf(bytes, BACKSLASH, at);
    return Math.min(this.#quote, this.#backslash);
  }

  /** Skips to the last byte of the number that starts here. */
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

  /** Whether the object or array that starts here is empty. Skips its bracket and the following white space. */
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

  /** The value of these digits, or some greater integer if there are many. */
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
      const unit = hasEscape ? codeUnit(this.#bytes, at) : NO_UNIT;
      if ((unit === NO_UNIT ? this.#bytes[at] : unit) !== expected) return false;
      at += unit === NO_UNIT ? 1 : 6;
    }
    return at === end;
  }
}

/** The code unit of `\uXXXX` at `at`; NO_UNIT if there is none. */
function codeUnit(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_U) return NO_UNIT;
  const first = hexDigit(bytes[at + 2]);
  const second = hexDigit(bytes[at + 3]);
  const third = hexDigit(bytes[at + 4]);
  const fourth = hexDigit(bytes[at + 5]);
  // For a byte that is no digit, every bit is set.
  if ((first | second | third | fourth) < 0) return NO_UNIT;
  return (first << 12) | (second << 8) | (third << 4) | fourth;
}

/** Position of the byte, searched from `from`; the end of the bytes if there is none. */
function indexOf(bytes: Uint8Array, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from);
  return found < 0 ? bytes.length : found;
}

function hexDigit(byte: number | undefined): number {
  return byte === undefined ? NO_UNIT : (HEX_DIGITS[byte] ?? NO_UNIT);
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
