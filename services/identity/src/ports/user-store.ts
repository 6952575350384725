import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { User } from '../domain/records.ts';

/** The fields to write; a field that is left out keeps its value. */
export interface UserWrite extends Partial<Pick<User, 'email' | 'name' | 'role' | 'isActive'>> {
  readonly passwordHash?: string;
}

export interface UserStore {
  list(ctx: RequestContext, accountId: string, page: Page): Promise<CountedPage<User>>;
  /** False, with nothing written, if the account already has a user with that e-mail. */
  insert(ctx: RequestContext, user: User, passwordHash: string | null): Promise<boolean>;
  /**
   * Writes the result of `decide`, which gets the current user and whether the account has another active owner; nothing if it throws. No
   * concurrent change of the account's users intervenes. Undefined if the user does not exist, `taken` if the account has another user with
   * the new e-mail.
   */
  change(
    ctx: RequestContext,
    accountId: string,
    userId: string,
    decide: (user: User, hasOtherOwner: boolean) => UserWrite,
    now: Date,
  ): Promise<User | 'taken' | undefined>;
}
