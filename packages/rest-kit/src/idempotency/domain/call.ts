import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import type { ErrorCode } from '@fairlead/errors/catalogue';

/** The owner of a key: a user of an account, or the operator of the platform. */
export type KeyOwner =
  | {
      readonly accountId: string;
      readonly userId: string;
      /** The calling user's API key, if it has fewer rights than the user. */
      readonly restrictedKeyId?: string | undefined;
    }
  | 'operator';

/** A call with an Idempotency-Key. */
export interface IdempotentCall {
  readonly owner: KeyOwner;
  readonly key: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** The body's bytes, by which calls are compared. */
  readonly body: Uint8Array;
  /** The call's time limit. */
  readonly timeoutMs: number;
}

/** A response that was or will be sent. */
export interface StoredResponse {
  readonly status: number;
  /** The JSON body; empty: no content. */
  readonly text: string;
  /** For a response to the operator: the account that it is about; erased with that account. */
  readonly accountId?: string | undefined;
}

const FIRST_SERVER_ERROR = 500;

/** Errors of calls that were refused because of their caller, body or budgets. */
const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'UNAUTHORIZED',
  'ACCOUNT_USER_INACTIVE',
  'PAYLOAD_TOO_LARGE',
  'RATE_LIMIT_EXCEEDED',
]);

/** Whether an error is stored as the response of its Idempotency-Key. If not, the next call with the key runs again. */
export function isKeptError(code: ErrorCode): boolean {
  return ERROR_CATALOGUE[code].http < FIRST_SERVER_ERROR && !PASSING.has(code);
}
