import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import type { ApiKeyRecord, User } from '../domain/records.ts';

export interface ApiKeyStore {
  /** The keys that are not revoked. */
  list(ctx: RequestContext, accountId: string, page: Page): Promise<CountedPage<ApiKeyRecord>>;
  /**
   * Inserts the key unless `check` throws; `check` gets the key's user, undefined if the account has no such user. No concurrent change of
   * the account's users intervenes. NOT_FOUND if the toolset's keys have ended.
   */
  insert(
    ctx: RequestContext,
    key: ApiKeyRecord,
    hash: string,
    check: (user: User | undefined) => void,
  ): Promise<void>;
  /**
   * Revokes a key unless `check` throws for its user; false if there is no such unrevoked key. No concurrent change of the account's users
   * intervenes.
   */
  revoke(
    ctx: RequestContext,
    accountId: string,
    id: string,
    check: (user: User | undefined) => void,
    now: Date,
  ): Promise<boolean>;
  /** Revokes the keys restricted to the toolset; for an hour from `now`, no such key can be inserted. */
  endOfToolset(ctx: RequestContext, accountId: string, toolsetId: string, now: Date): Promise<void>;
  /** Sets the last use of each key, by key id; a later stored time is kept, an unknown key ignored. */
  recordUses(ctx: RequestContext, uses: ReadonlyMap<string, Date>): Promise<void>;
}
