import type { Json } from '@fairlead/connector-model/json';
import { checkJsonBounds } from '@fairlead/service-kit/json/json-bounds';
import { CallFailure } from './failure.ts';
import { isArray } from './templates.ts';

/** Maximum number of values (objects, arrays and scalars) in a vendor's JSON. */
export const MAX_JSON_VALUES = 100_000;
/** Maximum nesting depth of a vendor's JSON. */
const MAX_JSON_DEPTH = 200;

/** Maximum number of different names in a vendor's JSON, as NameCounter counts them. */
const MAX_JSON_NAMES = 10_000;

/**
 * Parses a vendor's JSON. Before it builds anything, it throws CallFailure above MAX_JSON_VALUES, MAX_JSON_NAMES or
 * MAX_JSON_DEPTH. Throws SyntaxError if the text is not JSON. The message begins with `what`, such as `The response`.
 * `bytes` is the text in UTF-8.
 */
export function parseVendorJson(text: string, what: string, bytes: Uint8Array = Buffer.from(text)): Json {
  const bounds = { maxValues: MAX_JSON_VALUES, maxNames: MAX_JSON_NAMES, maxDepth: MAX_JSON_DEPTH };
  switch (checkJsonBounds(bytes, bounds).exceeded) {
    case undefined:
      // JSON.parse returns JSON.
      return JSON.parse(text) as Json;
    case 'values':
      throw tooMany(what);
    case 'names':
      throw new CallFailure(`${what} holds more than ${MAX_JSON_NAMES} different names. Request less data.`);
    case 'depth':
      throw tooDeep(what);
  }
}

/** Upper bounds for JSON text: bytes of one character (`\u0000`), and of a number (`-1.2345678901234567e-308`) with its comma. */
const MAX_CHARACTER_BYTES = 6;
const MAX_SCALAR_BYTES = 25;
/** Bytes of a name's quotes and colon. */
const MAX_NAME_BYTES = 3;

/**
 * Throws CallFailure if a value has more than MAX_JSON_VALUES values or MAX_JSON_DEPTH levels. Returns an upper bound
 * for the bytes of its JSON text.
 */
export function requireJsonLimits(value: Json, what: string): number {
  let values = 0;
  let bytes = 0;
  const count = (part: Json, depth: number): void => {
    values += 1;
    if (values > MAX_JSON_VALUES) throw tooMany(what);
    bytes += MAX_SCALAR_BYTES;
    if (typeof part === 'string') bytes += part.length * MAX_CHARACTER_BYTES;
    if (typeof part !== 'object' || part === null) return;
    if (depth === MAX_JSON_DEPTH) throw tooDeep(what);
    if (isArray(part)) {
      for (const member of part) count(member, depth + 1);
      return;
    }
    for (const name of Object.keys(part)) {
      bytes += name.length * MAX_CHARACTER_BYTES + MAX_NAME_BYTES;
      count(part[name] ?? null, depth + 1);
    }
  };
  count(value, 0);
  return bytes;
}

function tooMany(what: string): CallFailure {
  return new CallFailure(`${what} holds more than ${MAX_JSON_VALUES} JSON values. Request less data.`);
}

function tooDeep(what: string): CallFailure {
  return new CallFailure(`${what} nests JSON deeper than ${MAX_JSON_DEPTH} levels.`);
}
