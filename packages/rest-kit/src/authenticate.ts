import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import type { Principal } from '@fairlead/access/principal';

/** Finds the caller of a request by its headers. */
export type Authenticate = (headers: IncomingHttpHeaders) => Promise<Principal>;

/** A valid credential of a user who is no longer active: ACCOUNT_USER_INACTIVE. */
export class InactiveUserError extends ApiError {
  /** The account of the credential. */
  readonly account: Pick<Principal, 'accountId' | 'budgets'>;

  constructor(account: Pick<Principal, 'accountId' | 'budgets'>) {
    super('ACCOUNT_USER_INACTIVE', 'The user of this credential is no longer active in the account.');
    this.account = account;
  }
}
