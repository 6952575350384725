import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { z } from 'zod';
import { passedObject, recordId, text } from '@fairlead/rest-kit/fields';

const MAX_METADATA_BYTES = 16 * 1024;

/** The path parameters of one connection. */
export const connectionParams = z.object({ connectionId: recordId });

/** A connection's display name. */
export const connectionName = text(1, 200);

/** A connection's description; empty, null and absent all mean none. */
export const description = text(0, 2000)
  .nullish()
  .transform((text) => text || undefined);

/** Credential values by field name. */
export const credentialFields = passedObject.describe(
  'Credential values by field name, as the authentication method lists them.',
);

/** The account's own metadata of a connection; null and absent mean none. */
export const metadata = passedObject
  .refine((value) => jsonBytes(value).length <= MAX_METADATA_BYTES, 'must be at most 16 KiB as JSON')
  .nullish()
  .describe('Any JSON object of at most 16 KiB.');

/** The state of a completed sign-in; empty, null and absent all mean none. */
export const oauthState = z
  .string()
  .nullish()
  .transform((state) => state || undefined)
  .describe('The state of a completed sign-in; required if the method uses OAuth sign-in.');
