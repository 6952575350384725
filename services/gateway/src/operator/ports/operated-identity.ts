import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { AccountDomain } from './account-domain.ts';

/** Identity, for operations on all data of an account. */
export interface OperatedIdentity {
  /** The account as an export shows it. NOT_FOUND for an unknown account. */
  getAccount(ctx: RequestContext, accountId: string): Promise<object>;
  /**
   * From now on no credential of the account is accepted, and nothing can be created in it. NOT_FOUND for an unknown
   * account; repeatable.
   */
  closeAccount(ctx: RequestContext, accountId: string): Promise<void>;
  /** Everything else that identity stores of accounts. It is erased last, and the account with it. */
  readonly data: AccountDomain;
}
