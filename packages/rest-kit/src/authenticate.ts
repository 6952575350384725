import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import type { Principal } from '@fairlead/access/principal';

/** Finds a request's caller by its headers. */
export type Authenticate = (headers: IncomingHttpHeaders) => Promise<Principal>;

/** The credential is valid, but its user is inactive: ACCOUNT_USER_INACTIVE. */
export class InactiveUserError extends ApiError {
  /** The credential's account. */
  readonly account: Pick<Principal, 'accountId' | 'budgets'>;

  constructor(account: Pick<Principal, 'accountId' | 'budgets'>) {
    super('ACCOUNT_USER_INACTIVE', 'The user of this credential is no longer active in the account.');
    this.account = account;
  }
}
