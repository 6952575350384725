import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { User } from '../domain/records.ts';
import type { Listed } from './account-store.ts';

/** What is written of a user; what is left out stays. */
export interface UserWrite extends Partial<Pick<User, 'email' | 'name' | 'role' | 'isActive'>> {
  readonly passwordHash?: string;
}

/** The storage of users. */
export interface UserStore {
  list(ctx: RequestContext, accountId: string, page: Page): Promise<Listed<User>>;
  /** False where the account has a user of that e-mail already; then nothing is written. */
  insert(ctx: RequestContext, user: User, passwordHash: string | null): Promise<boolean>;
  /**
   * Writes what `decide` answers for the user as it is and whether the account has another active owner, or nothing where
   * it throws; no other change of the account's users comes between. Undefined where there is no such user, `taken` where
   * the account has another user of the new e-mail.
   */
  change(
    ctx: RequestContext,
    accountId: string,
    userId: string,
    decide: (user: User, hasOtherOwner: boolean) => UserWrite,
    now: Date,
  ): Promise<User | 'taken' | undefined>;
  /** Every user of the account, newest first. */
  readAll(ctx: RequestContext, accountId: string): AsyncIterable<User>;
}
