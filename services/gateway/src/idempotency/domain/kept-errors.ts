import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import type { ErrorCode } from '@fairlead/errors/catalogue';

const FIRST_SERVER_ERROR = 500;

/** Refusals of a call whose caller, whose body or whose place in the budgets was not known or not taken. */
const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'UNAUTHORIZED',
  'ACCOUNT_USER_INACTIVE',
  'PAYLOAD_TOO_LARGE',
  'RATE_LIMIT_EXCEEDED',
]);

/** Whether a refusal is the answer of its Idempotency-Key for good; otherwise the next call runs anew. */
export function isKeptError(code: ErrorCode): boolean {
  return ERROR_CATALOGUE[code].http < FIRST_SERVER_ERROR && !PASSING.has(code);
}
