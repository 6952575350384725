import type { IncomingMessage } from 'node:http';
import { validationError } from '@fairlead/errors/api-error';

/** The header of an Idempotency-Key, as it is named in details and documents. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';
/** The header of a replayed response. */
export const IDEMPOTENCY_REPLAYED = 'Idempotency-Replayed';
/** Maximum length of a key; the minimum is one character. */
export const MAX_KEY_LENGTH = 255;

/** The key of a request; undefined if none was sent. VALIDATION_ERROR if it is empty, too long or sent twice. */
export function readIdempotencyKey(request: IncomingMessage): string | undefined {
  // Cheap for the many requests without a key: the distinct headers are parsed on first access.
  if (request.headers['idempotency-key'] === undefined) return undefined;
  const [key = '', ...more] = request.headersDistinct['idempotency-key'] ?? [];
  if (more.length > 0) throw refusal('must be sent once only');
  if (key.length < 1 || key.length > MAX_KEY_LENGTH)
    throw refusal(`must be 1 to ${MAX_KEY_LENGTH} characters long`);
  return key;
}

function refusal(issue: string): Error {
  return validationError({ field: IDEMPOTENCY_KEY, issue });
}
