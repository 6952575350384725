import type { IncomingMessage } from 'node:http';
import { validationError } from '@fairlead/errors/api-error';

/** The name of the Idempotency-Key header, as in error details and documents. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';
/** The header that marks a replayed response. */
export const IDEMPOTENCY_REPLAYED = 'Idempotency-Replayed';
/** Maximum length of a key; the minimum is one character. */
export const MAX_KEY_LENGTH = 255;

/** A request's key; undefined if it sent none. Throws VALIDATION_ERROR if the key is empty, too long or sent twice. */
export function readIdempotencyKey(request: IncomingMessage): string | undefined {
  // Checked first because it is cheap: `headersDistinct` is only parsed on first access.
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
