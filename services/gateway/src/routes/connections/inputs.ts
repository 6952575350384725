import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { jsonOf } from '@fairlead/service-kit/json/deferred-json';
import { z } from 'zod';
import { jsonObject, recordId, text } from '@fairlead/rest-kit/fields';

const MAX_METADATA_BYTES = 16 * 1024;

/** The path parameters of one connection. */
export const connectionParams = z.object({ connectionId: recordId });

/** A connection's display name. */
export const connectionName = text(1, 200);

/** A connection's description; empty, null and absent all mean none. */
export const description = text(0, 2000)
  .nullish()
  .transform((given) => given || undefined);

/** Credential values by field name. */
export const credentialFields = jsonObject.describe(
  'Credential values by field name, as the authentication method lists them.',
);

/** The account's own data on a connection; null and absent mean none. */
export const metadata = jsonObject
  .refine(
    (value: JsonObject) =>
      atLeastLeft(value, MAX_METADATA_BYTES) >= 0 &&
      Buffer.byteLength(JSON.stringify(value)) <= MAX_METADATA_BYTES,
    'must be at most 16 KiB as JSON',
  )
  .nullish()
  .describe('Any JSON object of at most 16 KiB.');

/** The state of a completed sign-in; empty, null and absent all mean none. */
export const oauthState = z
  .string()
  .nullish()
  .transform((state) => state || undefined)
  .describe('The state of a completed sign-in; required if the method uses OAuth sign-in.');

/**
 * At most what is left of `bytes` after this value as JSON; negative as soon as none is. Unlike JSON.stringify, it does
 * not read the rest of a value that is far too large.
 */
function atLeastLeft(value: JsonValue, bytes: number): number {
  if (typeof value === 'string') return bytes - value.length;
  if (typeof value !== 'object' || value === null) return bytes - 1;
  const json = jsonOf(value);
  if (json !== undefined) return bytes - json.length;
  let left = bytes;
  if (Array.isArray(value)) {
    for (const item of value) {
      left = atLeastLeft(item, left - 1);
      if (left < 0) break;
    }
    return left;
  }
  for (const name in value) {
    // A colon, a comma or bracket, and one byte at least of the member.
    left = atLeastLeft(value[name] ?? null, left - name.length - 2);
    if (left < 0) break;
  }
  return left;
}
