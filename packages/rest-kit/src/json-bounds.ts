import type { ApiError } from '@fairlead/errors/api-error';
import { validationError } from '@fairlead/errors/api-error';
import { checkJsonBounds } from '@fairlead/service-kit/json/json-bounds';

/** Default maximum number of values in a body: each object, array and scalar counts as one, including the body. */
export const MAX_JSON_VALUES = 100_000;

/** Maximum nesting of objects and arrays in a body. Protobuf readers stop at 100 messages, and each level takes two. */
export const MAX_DEPTH = 32;

/** Default maximum number of different names in a body, as NameCounter counts them. */
export const MAX_NAMES = 5_000;
/** A route that permits more values permits one more name per this many values. */
const VALUES_PER_NAME = 10;

/**
 * Checks the JSON in `bytes` before anything is built. Throws VALIDATION_ERROR above `maxValues` values, MAX_NAMES
 * different names (a tenth of `maxValues` if that is not the default), or MAX_DEPTH levels inside the body. Returns
 * whether guardJson has to check the parsed value: if the text contains invalid Unicode, a number beyond IEEE 754, or
 * a name that guardJson refuses or removes. Text that is not JSON is left to JSON.parse.
 */
export function requireJsonBounds(bytes: Uint8Array, maxValues: number): boolean {
  const maxNames = maxValues > MAX_JSON_VALUES ? Math.floor(maxValues / VALUES_PER_NAME) : MAX_NAMES;
  // The depth excludes the body itself.
  const { exceeded, isSuspect } = checkJsonBounds(bytes, { maxValues, maxNames, maxDepth: MAX_DEPTH + 1 });
  switch (exceeded) {
    case undefined:
      return isSuspect;
    case 'values':
      throw refusal(`must not hold more than ${maxValues} JSON values`);
    case 'names':
      throw refusal(`must not hold more than ${maxNames} different names`);
    case 'depth':
      throw refusal(`must not be nested more than ${MAX_DEPTH} levels deep`);
  }
}

function refusal(issue: string): ApiError {
  return validationError({ field: 'body', issue });
}
