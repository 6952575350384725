import { jsonBytes, LazyJson } from './lazy-json.ts';
import type { LazyObject } from './lazy-json.ts';

/** Members below this size are parsed at once, because most are read. */
const MIN_LAZY_BYTES = 16 * 1024;

/** An object in a message: the JSON text of each member, in UTF-8. */
export function membersOf(object: LazyObject | LazyJson): Record<string, Uint8Array> {
  const members = object instanceof LazyJson ? object.parseObject() : object;
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, jsonBytes(member)] as const),
  );
}

/**
 * Converts such an object; large members stay unparsed. `name` is its path in the request. VALIDATION_ERROR if a
 * parsed member is not JSON.
 */
export function objectOfMembers(members: Readonly<Record<string, Uint8Array>>, name: string): LazyObject {
  return Object.fromEntries(
    Object.entries(members).map(([member, bytes]) => [member, lazyIfLarge(bytes, `${name}.${member}`)]),
  );
}

/** A value in a message; a large one stays unparsed. VALIDATION_ERROR if a small one is not JSON. */
export function lazyIfLarge(bytes: Uint8Array, name: string): LazyObject[string] {
  const json = new LazyJson(bytes, name);
  return bytes.length >= MIN_LAZY_BYTES ? json : json.parse();
}
