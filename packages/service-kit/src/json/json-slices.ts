const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const SPACE = 0x20;

/**
 * The members of a JSON object, each as a slice of its bytes, so a value that is only passed on keeps its text.
 * `bytes` must be JSON (is-json.ts). Undefined: not an object. If a name repeats, the last member counts, as in
 * JSON.parse.
 */
export function objectSlices(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> | undefined {
  let at = afterSpace(bytes, 0);
  if (bytes[at] !== OPEN_OBJECT) return undefined;
  const members = new Map<string, Uint8Array>();
  at = afterSpace(bytes, at + 1);
  while (bytes[at] === QUOTE) {
    const nameEnd = afterText(bytes, at);
    const name = nameOf(bytes, at, nameEnd);
    // After the colon.
    const start = afterSpace(bytes, afterSpace(bytes, nameEnd) + 1);
    const end = afterValue(bytes, start);
    members.set(name, bytes.subarray(start, end));
    at = afterSpace(bytes, end);
    if (bytes[at] === COMMA) at = afterSpace(bytes, at + 1);
  }
  return members;
}

/** The items of a JSON array, as slices. Undefined: not an array. */
export function arraySlices(bytes: Uint8Array): readonly Uint8Array[] | undefined {
  let at = afterSpace(bytes, 0);
  if (bytes[at] !== OPEN_ARRAY) return undefined;
  const items: Uint8Array[] = [];
  at = afterSpace(bytes, at + 1);
  while (at < bytes.length && bytes[at] !== CLOSE_ARRAY) {
    const end = afterValue(bytes, at);
    items.push(bytes.subarray(at, end));
    at = afterSpace(bytes, end);
    if (bytes[at] === COMMA) at = afterSpace(bytes, at + 1);
  }
  return items;
}

function nameOf({ buffer, byteOffset }: Uint8Array, start: number, end: number): string {
  const json = Buffer.from(buffer, byteOffset + start, end - start).toString();
  return json.includes('\\') ? String(JSON.parse(json)) : json.slice(1, -1);
}

function afterSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while ((bytes[at] ?? COMMA) <= SPACE) at += 1;
  return at;
}

/** The position after the string that starts here. */
function afterText(bytes: Uint8Array, from: number): number {
  let at = bytes.indexOf(QUOTE, from + 1);
  while (at >= 0 && isEscaped(bytes, at)) at = bytes.indexOf(QUOTE, at + 1);
  return at < 0 ? bytes.length : at + 1;
}

function isEscaped(bytes: Uint8Array, at: number): boolean {
  let backslashes = 0;
  while (bytes[at - backslashes - 1] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/** The position after the value that starts here. */
function afterValue(bytes: Uint8Array, from: number): number {
  let depth = 0;
  let at = from;
  while (at < bytes.length) {
    switch (bytes[at]) {
      case QUOTE:
        at = afterText(bytes, at);
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        depth += 1;
        at += 1;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        // The end of the container also ends the value.
        if (depth === 0) return at;
        depth -= 1;
        at += 1;
        break;
      case COMMA:
        if (depth === 0) return at;
        at += 1;
        break;
      default:
        at = depth === 0 ? afterScalar(bytes, at) : at + 1;
    }
    if (depth === 0) return at;
  }
  return at;
}

/** The position after the number or word that starts here. */
function afterScalar(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? SPACE;
    if (byte <= SPACE || byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) break;
  }
  return at;
}
