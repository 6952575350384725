import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { Account, AccountChange, ApiKeyRecord, User } from '../domain/records.ts';

export interface AccountStore {
  find(ctx: RequestContext, id: string): Promise<Account | undefined>;
  list(ctx: RequestContext, page: Page): Promise<CountedPage<Account>>;
  /** Undefined if the account does not exist. */
  update(ctx: RequestContext, id: string, change: AccountChange, now: Date): Promise<Account | undefined>;
  /** Inserts all three records, or none. */
  insertWithOwner(
    ctx: RequestContext,
    o: {
      readonly account: Account;
      readonly owner: User;
      readonly passwordHash: string | null;
      readonly key: ApiKeyRecord;
      readonly keyHash: string;
    },
  ): Promise<void>;
  /** Marks the account as being erased; later calls change nothing. False if the account does not exist. */
  markErasing(ctx: RequestContext, id: string, now: Date): Promise<boolean>;
}
