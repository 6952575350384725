import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import type { ErrorCode } from '@fairlead/errors/catalogue';

/** Whose key it is: a user of an account, or the operator of the platform. */
export type KeyOwner = { readonly accountId: string; readonly userId: string } | 'operator';

/** One call that carries an Idempotency-Key. */
export interface IdempotentCall {
  readonly owner: KeyOwner;
  readonly key: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** Compared by its bytes. */
  readonly body: Uint8Array;
  /** Longest time that the call may take. */
  readonly timeoutMs: number;
}

/** An answer as it was, or will be, sent. */
export interface KeptAnswer {
  readonly status: number;
  /** JSON; empty: no content. */
  readonly text: string;
  /** Of an answer to the operator: the account that it is about, with which it goes. */
  readonly accountId?: string | undefined;
}

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
