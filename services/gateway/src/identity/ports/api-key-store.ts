import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { ApiKeyRecord, User } from '../domain/records.ts';
import type { Listed } from './account-store.ts';

/** The storage of API keys. */
export interface ApiKeyStore {
  /** Those that are not revoked. */
  list(ctx: RequestContext, accountId: string, page: Page): Promise<Listed<ApiKeyRecord>>;
  /**
   * Inserts the key where `check` does not throw for its user, who is undefined where the account has no such user; no
   * change of the account's users comes between.
   */
  insert(
    ctx: RequestContext,
    key: ApiKeyRecord,
    hash: string,
    check: (user: User | undefined) => void,
  ): Promise<void>;
  /** Revokes a key that is not revoked yet; false where there is none. */
  revoke(ctx: RequestContext, accountId: string, id: string, now: Date): Promise<boolean>;
  /** Every key of the account, revoked ones too, newest first. */
  readAll(ctx: RequestContext, accountId: string): AsyncIterable<ApiKeyRecord>;
}
