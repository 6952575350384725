import { validationError } from '@fairlead/errors/api-error';
import { z } from 'zod';
import { boundedRecord, text } from '@fairlead/rest-kit/fields';

/** The path parameters of one destination. */
export const destinationParams = z.object({ id: text(1, 100) });

const MAX_HEADERS = 20;

const maxFailures = z.int32().min(1).max(100);

/** The members of a destination in a request, except its headers. */
export const destinationMembers = {
  name: text(1, 200),
  url: text(1, 2048)
    .describe('http or https, without user name, password and fragment.')
    .meta({ format: 'uri' }),
  isEnabled: z.boolean(),
  maxConsecutiveFailures: maxFailures.describe(
    'As many events in a row that are dead-lettered disable the destination.',
  ),
  max_consecutive_failures: maxFailures.describe('Another spelling of `maxConsecutiveFailures`.'),
} as const;

/** A header value that every server reads alike: visible ASCII, with spaces inside. */
const headerValue = z
  .string()
  .max(2_000)
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'must be 1 to 2000 visible ASCII characters');

/** The headers of a new destination. */
export const newHeaders = boundedRecord(headerValue, MAX_HEADERS).describe(
  'Headers that each request has in addition, at most 20. Names with the prefixes `fairlead-`, `webhook-` and `proxy-`, and those that HTTP itself uses, are reserved.',
);

/** The headers of a destination update; null keeps a value. */
export const changedHeaders = boundedRecord(headerValue.nullable(), MAX_HEADERS).describe(
  'Replaces all headers. Null keeps the value that a header has, as values are not returned. A change of the origin of `url` needs all values again, or `{}`.',
);

/** The number under either spelling; VALIDATION_ERROR if both are sent and differ. */
export function oneOfSpellings(sent: {
  readonly maxConsecutiveFailures?: number;
  readonly max_consecutive_failures?: number;
}): { maxConsecutiveFailures?: number } {
  const { maxConsecutiveFailures: one, max_consecutive_failures: other } = sent;
  if (one !== undefined && other !== undefined && one !== other)
    throw validationError({
      field: 'max_consecutive_failures',
      issue: 'is another spelling of maxConsecutiveFailures, and must not differ from it',
    });
  const chosen = one ?? other;
  return chosen === undefined ? {} : { maxConsecutiveFailures: chosen };
}
