import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { ApiKeyRecord, User } from '../domain/records.ts';

/** The storage of API keys. */
export interface ApiKeyStore {
  /** The keys that are not revoked. */
  list(ctx: RequestContext, accountId: string, page: Page): Promise<CountedPage<ApiKeyRecord>>;
  /**
   * Inserts the key if `check` does not throw for its user, who is undefined if the account has no such user; no
   * concurrent change of the account's users intervenes. NOT_FOUND if the keys of its toolset have ended.
   */
  insert(
    ctx: RequestContext,
    key: ApiKeyRecord,
    hash: string,
    check: (user: User | undefined) => void,
  ): Promise<void>;
  /**
   * Revokes a key that is not yet revoked, if `check` does not throw for its user; false if there is no such key. No
   * concurrent change of the account's users intervenes.
   */
  revoke(
    ctx: RequestContext,
    accountId: string,
    id: string,
    check: (user: User | undefined) => void,
    now: Date,
  ): Promise<boolean>;
  /** Revokes the keys that are confined to the toolset; none of its keys can be inserted for an hour from `now`. */
  endOfToolset(ctx: RequestContext, accountId: string, toolsetId: string, now: Date): Promise<void>;
  /** Advances the last use of each key, by its id, to the given time; a later time is kept, an unknown key ignored. */
  recordUses(ctx: RequestContext, uses: ReadonlyMap<string, Date>): Promise<void>;
}
