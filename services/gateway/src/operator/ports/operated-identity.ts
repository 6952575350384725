import type { RequestContext } from '@fairlead/service-kit/context/context';

/** What the operator does with the identity data of an account: its users, its keys and the account itself. */
export interface OperatedIdentity {
  /** NOT_FOUND for an unknown account. */
  getAccount(ctx: RequestContext, accountId: string): Promise<unknown>;
  /** From now on no credential of the account opens anything, and nothing of it can be made. NOT_FOUND likewise; repeatable. */
  beginErasure(ctx: RequestContext, accountId: string): Promise<unknown>;
  /** Erases keys and users, the account last. Repeatable. */
  eraseIdentity(ctx: RequestContext, accountId: string): Promise<void>;
  /** Everything but secrets; NOT_FOUND likewise. */
  exportIdentity(
    ctx: RequestContext,
    accountId: string,
  ): Promise<{
    readonly account: object;
    readonly users: AsyncIterable<object>;
    readonly apiKeys: AsyncIterable<object>;
  }>;
}
