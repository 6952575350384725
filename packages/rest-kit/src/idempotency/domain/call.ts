import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import type { ErrorCode } from '@fairlead/errors/catalogue';

/** The owner of a key: a user of an account, or the operator of the platform. */
export type KeyOwner =
  | {
      readonly accountId: string;
      readonly userId: string;
      /** The API key of the user that calls, if it may do less than the user. */
      readonly restrictedKeyId?: string | undefined;
    }
  | 'operator';

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

/** A response as it was, or will be, sent. */
export interface StoredResponse {
  readonly status: number;
  /** JSON; empty: no content. */
  readonly text: string;
  /** For a response to the operator: the account that it concerns, and with which it is erased. */
  readonly accountId?: string | undefined;
}

const FIRST_SERVER_ERROR = 500;

/** Errors of a call whose caller or body was not accepted, or that no budget admitted. */
const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'UNAUTHORIZED',
  'ACCOUNT_USER_INACTIVE',
  'PAYLOAD_TOO_LARGE',
  'RATE_LIMIT_EXCEEDED',
]);

/** Whether an error is stored as the response of its Idempotency-Key; otherwise the next call runs again. */
export function isKeptError(code: ErrorCode): boolean {
  return ERROR_CATALOGUE[code].http < FIRST_SERVER_ERROR && !PASSING.has(code);
}
