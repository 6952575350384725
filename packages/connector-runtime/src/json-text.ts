/**
 * The JSON text at an RFC 6901 pointer, byte for byte, so numbers keep all digits; undefined if there is none. `text`
 * must be JSON. Finds the same value as `valueAt` in the parsed document.
 */
export function textAt(text: string, pointer: string): string | undefined {
  let from = startOfValue(text, 0);
  let to = endOfValue(text, from);
  if (pointer === '') return text.slice(from, to);
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    const found = text[from] === '[' ? itemAt(text, from, key) : memberAt(text, from, key);
    if (found === undefined) return undefined;
    [from, to] = found;
  }
  return text.slice(from, to);
}

/** The JSON texts of an array's items; `text` must be a JSON array. */
export function itemTexts(text: string): readonly string[] {
  return [...parts(text, startOfValue(text, 0))].map(([from, to]) => text.slice(from, to));
}

/** The position of a value's first character, and the position after its last. */
type Span = readonly [from: number, to: number];

function itemAt(text: string, array: number, key: string): Span | undefined {
  if (!/^(0|[1-9]\d*)$/.test(key)) return undefined;
  let index = Number(key);
  for (const span of parts(text, array)) {
    if (index === 0) return span;
    index -= 1;
  }
  return undefined;
}

/** If a name repeats, the last member counts, as in JSON.parse. */
function memberAt(text: string, object: number, key: string): Span | undefined {
  if (text[object] !== '{') return undefined;
  let found: Span | undefined;
  for (const [from, to] of parts(text, object)) {
    const nameEnd = endOfString(text, from) + 1;
    if (JSON.parse(text.slice(from, nameEnd)) !== key) continue;
    // Skip the colon.
    found = [startOfValue(text, startOfValue(text, nameEnd) + 1), to];
  }
  return found;
}

/** The items of an array, or an object's members with their names. */
function* parts(text: string, container: number): Generator<Span> {
  let at = startOfValue(text, container + 1);
  while (text[at] !== ']' && text[at] !== '}') {
    let end = endOfValue(text, at);
    const next = startOfValue(text, end);
    // This string was a member's name.
    if (text[next] === ':') end = endOfValue(text, startOfValue(text, next + 1));
    yield [at, end];
    const comma = startOfValue(text, end);
    if (text[comma] !== ',') return;
    at = startOfValue(text, comma + 1);
  }
}

/** The next character that is not white space. */
function startOfValue(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\t' || text[at] === '\r') at += 1;
  return at;
}

/** The position after a value. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    else if (depth > 0 || !isEndOfScalar(text[at + 1])) continue;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

function isEndOfScalar(next: string | undefined): boolean {
  return next === undefined || /[\s,:\]}]/.test(next);
}

/** The position of the quote that ends the string starting at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length;
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}
