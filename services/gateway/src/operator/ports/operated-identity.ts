import type { RequestContext } from '@fairlead/service-kit/context/context';

/** The operator's operations on the identity data of an account: its users, its keys and the account itself. */
export interface OperatedIdentity {
  /** NOT_FOUND for an unknown account. */
  getAccount(ctx: RequestContext, accountId: string): Promise<unknown>;
  /**
   * From now on no credential of the account is accepted, and nothing can be created in it. NOT_FOUND for an unknown
   * account; repeatable.
   */
  beginErasure(ctx: RequestContext, accountId: string): Promise<unknown>;
  /** Erases keys and users, the account last. Repeatable. */
  eraseIdentity(ctx: RequestContext, accountId: string): Promise<void>;
  /** Everything except secrets; NOT_FOUND for an unknown account. */
  exportIdentity(
    ctx: RequestContext,
    accountId: string,
  ): Promise<{
    readonly account: object;
    readonly users: AsyncIterable<object>;
    readonly apiKeys: AsyncIterable<object>;
  }>;
}
