import { hasTexts, jsonOf, textJson } from './deferred-json.ts';
import { jsonBytes } from './lazy-json.ts';

/** Around a text, an object or an array. */
const MARKS = 2;
/** Between a name and its value. */
const COLON = 1;

/**
 * Whether the JSON of a value has more bytes. What is far larger is not written to find out, and what is deferred in it is not
 * parsed.
 */
export function isJsonLarger(value: unknown, maxBytes: number): boolean {
  return leastBytes(value, maxBytes) > maxBytes || jsonBytes(value).length > maxBytes;
}

/** What the JSON has at least: a byte for each character. Looks no further than beyond `enough`. */
function leastBytes(value: unknown, enough: number): number {
  if (typeof value === 'string') return value.length + MARKS;
  if (typeof value !== 'object' || value === null) return value === undefined ? 0 : 1;
  const deferred = jsonOf(value);
  if (deferred !== undefined) return deferred.length;
  let bytes = MARKS;
  if (Array.isArray(value) && !hasTexts(value)) {
    const items: readonly unknown[] = value;
    for (const item of items) {
      if (bytes > enough) break;
      bytes += leastBytes(item, enough - bytes);
    }
    return bytes;
  }
  for (const name of Object.keys(value)) {
    if (bytes > enough) break;
    // To read a text that is deferred is to decode it.
    const least = textJson(value, name)?.length ?? leastBytes(Reflect.get(value, name), enough - bytes);
    if (least > 0) bytes += least + (Array.isArray(value) ? 0 : name.length + MARKS + COLON);
  }
  return bytes;
}
