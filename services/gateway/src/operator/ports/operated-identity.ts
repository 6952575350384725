import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { AccountDomain } from './account-domain.ts';

/** Identity, for the operator's operations on all data of an account. */
export interface OperatedIdentity {
  /** The account as an export shows it. NOT_FOUND for an unknown account. */
  getAccount(ctx: RequestContext, accountId: string): Promise<object>;
  /**
   * Closes the account: no credential of it is accepted, and nothing can be created in it. NOT_FOUND for an unknown account; repeatable.
   */
  closeAccount(ctx: RequestContext, accountId: string): Promise<void>;
  /** Identity's remaining account data. It is erased last, and the account with it. */
  readonly data: AccountDomain;
}
