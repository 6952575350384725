/**
 * A decoded view of a text. Byte `i` of the view was decoded from the bytes `starts[i]` to `ends[i]` of the text;
 * without these arrays, from byte `i`.
 */
export interface TextView {
  readonly bytes: Uint8Array;
  readonly starts?: Uint32Array;
  readonly ends?: Uint32Array;
}

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const LETTER_U = 0x75;
/** The decoded byte of each one-character JSON escape (`"`, `\`, `/`, `b`, `f`, `n`, `r`, `t`); 0: no escape. */
const ESCAPES = new Uint8Array(256);
for (const [letter, byte] of [
  [0x22, 0x22],
  [0x5c, 0x5c],
  [0x2f, 0x2f],
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
] as const)
  ESCAPES[letter] = byte;

/** The view with all JSON escapes decoded; undefined if the text has none. */
export function jsonDecoded(view: TextView): TextView | undefined {
  if (!view.bytes.includes(BACKSLASH)) return undefined;
  return decoded(view, [BACKSLASH], (bytes, at, write) => {
    const next = bytes[at + 1] ?? 0;
    if (next !== LETTER_U) {
      const escaped = ESCAPES[next] ?? 0;
      if (escaped === 0) return 0;
      write(escaped);
      return 2;
    }
    const unit = hexNumber(bytes, at + 2, 4);
    if (unit < 0) return 0;
    if (unit < 0x80) {
      write(unit);
      return 6;
    }
    const isPair = isHighSurrogate(unit) && bytes[at + 6] === BACKSLASH && bytes[at + 7] === LETTER_U;
    const low = isPair ? hexNumber(bytes, at + 8, 4) : -1;
    const text = low >= 0 ? String.fromCharCode(unit, low) : String.fromCharCode(unit);
    for (const byte of Buffer.from(text)) write(byte);
    return low >= 0 ? 12 : 6;
  });
}

/** The view with all percent-encoding decoded; undefined if the text has none. */
export function percentDecoded(view: TextView): TextView | undefined {
  if (!view.bytes.includes(PERCENT)) return undefined;
  return decoded(view, [PERCENT], (bytes, at, write) => {
    const byte = hexNumber(bytes, at + 1, 2);
    if (byte < 0) return 0;
    write(byte);
    return 3;
  });
}

/** The view with each `+` as a space, as in form encoding; undefined if the text has no `+`. */
export function plusDecoded(view: TextView): TextView | undefined {
  if (!view.bytes.includes(PLUS)) return undefined;
  return { ...view, bytes: view.bytes.map((byte) => (byte === PLUS ? SPACE : byte)) };
}

/** The view without line breaks, which often wrap base64; undefined if the text has none. */
export function unwrapped(view: TextView): TextView | undefined {
  if (!view.bytes.includes(LINE_FEED)) return undefined;
  return decoded(view, [LINE_FEED, CARRIAGE_RETURN], () => 1);
}

/**
 * Decodes the escape at `at` and writes its bytes. Returns the length of the escape, or 0 if there is none. Called only at bytes that may
 * begin an escape (`marks`).
 */
type Decode = (bytes: Uint8Array, at: number, write: (byte: number) => void) => number;

function decoded(view: TextView, marks: readonly number[], decode: Decode): TextView {
  const source = view.bytes;
  const [mark, otherMark = mark] = marks;
  // A decoded text is never longer than its encoding.
  const bytes = new Uint8Array(source.length);
  const starts = new Uint32Array(source.length);
  const ends = new Uint32Array(source.length);
  let size = 0;
  const write = (byte: number): void => {
    bytes[size] = byte;
    size += 1;
  };
  for (let at = 0; at < source.length;) {
    const byte = source[at] ?? 0;
    const first = size;
    let length = byte === mark || byte === otherMark ? decode(source, at, write) : 0;
    if (length === 0) {
      bytes[size] = byte;
      size += 1;
      length = 1;
    }
    const start = view.starts?.[at] ?? at;
    at += length;
    const end = view.ends?.[at - 1] ?? at;
    for (let index = first; index < size; index += 1) {
      starts[index] = start;
      ends[index] = end;
    }
  }
  return { bytes: bytes.subarray(0, size), starts: starts.subarray(0, size), ends: ends.subarray(0, size) };
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** The value of the next `digits` hexadecimal digits; -1 if any of them is missing. */
function hexNumber(bytes: Uint8Array, at: number, digits: number): number {
  let value = 0;
  for (let index = at; index < at + digits; index += 1) {
    const digit = HEX_DIGITS[bytes[index] ?? 0] ?? -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** The value of each byte as a hexadecimal digit; -1: not a digit. */
export const HEX_DIGITS: Int8Array = digitValues(['0123456789abcdef', '0123456789ABCDEF']);
/** The value of each byte as a base64 digit of either alphabet; -1: not a digit. */
export const BASE64_DIGITS: Int8Array = digitValues([
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
]);

function digitValues(alphabets: readonly string[]): Int8Array {
  const values = new Int8Array(256).fill(-1);
  for (const alphabet of alphabets) {
    for (const [value, digit] of Buffer.from(alphabet).entries()) values[digit] = value;
  }
  return values;
}
