import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import type { ErrorCode } from '@fairlead/errors/catalogue';

const FIRST_SERVER_ERROR = 500;

/** Refusals that say something of the caller's standing or of the request's wrapping, which the next call may have mended. */
const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'UNAUTHORIZED',
  'FORBIDDEN',
  'ACCOUNT_USER_INACTIVE',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMIT_EXCEEDED',
]);

/** Whether a refusal is the answer of its Idempotency-Key for good; otherwise the next call runs anew. */
export function isKeptError(code: ErrorCode): boolean {
  return ERROR_CATALOGUE[code].http < FIRST_SERVER_ERROR && !PASSING.has(code);
}
