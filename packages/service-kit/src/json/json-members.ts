import { jsonBytes, LazyJson } from './lazy-json.ts';
import type { LazyObject } from './lazy-json.ts';

/** Smaller members are parsed at once: they are read by most. */
const MIN_LAZY_BYTES = 16 * 1024;

/** An object as a message has it: the JSON text of each member, in UTF-8. */
export function membersOf(object: LazyObject | LazyJson): Record<string, Uint8Array> {
  const members = object instanceof LazyJson ? object.parseObject() : object;
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, jsonBytes(member)] as const),
  );
}

/**
 * The object that a message has so, of which large members are not parsed. `name` is its path in the request. VALIDATION_ERROR for a
 * member that is parsed and is not JSON.
 */
export function objectOfMembers(members: Readonly<Record<string, Uint8Array>>, name: string): LazyObject {
  return Object.fromEntries(
    Object.entries(members).map(([member, bytes]) => [member, lazyIfLarge(bytes, `${name}.${member}`)]),
  );
}

/** A value of a message, which is not parsed if it is large; VALIDATION_ERROR for a small one that is not JSON. */
export function lazyIfLarge(bytes: Uint8Array, name: string): LazyObject[string] {
  const json = new LazyJson(bytes, name);
  return bytes.length >= MIN_LAZY_BYTES ? json : json.parse();
}
