import type { JsonObject } from '@bufbuild/protobuf';
import { z } from 'zod';
import { jsonObject, recordId, text } from '../../http/fields.ts';

const MAX_METADATA_BYTES = 16 * 1024;

/** The path parameters of one connection. */
export const connectionParams = z.object({ connectionId: recordId });

/** A connection's name for people. */
export const connectionName = text(1, 200);

/** A connection's description; empty, null and absent are no description. */
export const description = text(0, 2000)
  .nullish()
  .transform((given) => given || undefined);

/** Credential values by field name. */
export const credentialFields = jsonObject.describe(
  'Credential values by field name, as the authentication method lists them.',
);

/** What the account keeps beside a connection; null and absent are none. */
export const metadata = jsonObject
  .refine(
    (value: JsonObject) => Buffer.byteLength(JSON.stringify(value)) <= MAX_METADATA_BYTES,
    'must be at most 16 KiB as JSON',
  )
  .nullish()
  .describe('Any JSON object of at most 16 KiB.');

/** The state of a completed sign-in; empty, null and absent are none. */
export const oauthState = z
  .string()
  .nullish()
  .transform((state) => state || undefined)
  .describe('The state of a completed sign-in; required where the method signs in.');
