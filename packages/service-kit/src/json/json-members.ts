import type { JsonObject } from '@bufbuild/protobuf';
import { memberJson } from './deferred-json.ts';
import { jsonBytes, LazyJson } from './lazy-json.ts';
import type { LazyObject } from './lazy-json.ts';

const QUOTE = 0x22;

/** Smaller members are parsed at once: they are read by most. */
const MIN_LAZY_BYTES = 16 * 1024;

/** An object as a message has it: the JSON text of each member, in UTF-8. */
export function membersOf(object: LazyObject | JsonObject): Record<string, Uint8Array> {
  return Object.fromEntries(
    Object.keys(object).map((name) => [name, memberJson(object, name) ?? jsonBytes(object[name] ?? null)]),
  );
}

/**
 * The object that a message has so, with large objects and arrays in it unparsed. `name` is its path in the request.
 * VALIDATION_ERROR for a member that is parsed and is not JSON.
 */
export function objectOfMembers(members: Readonly<Record<string, Uint8Array>>, name: string): LazyObject {
  return Object.fromEntries(
    Object.entries(members).map(([member, bytes]) => {
      const json = new LazyJson(bytes, `${name}.${member}`);
      const isLazy = bytes.length >= MIN_LAZY_BYTES && bytes[0] !== QUOTE;
      return [member, isLazy ? json : json.parse()] as const;
    }),
  );
}
