import type { Account, ApiKeyRecord, User } from '../domain/records.ts';

/** The storage for seeding. The `put` methods leave existing records unchanged. */
export interface SeedStore {
  /** The account that has an owner with that e-mail; the oldest if there are several. */
  findOwnedAccount(email: string): Promise<string | undefined>;
  findUser(
    accountId: string,
    email: string,
  ): Promise<{ readonly id: string; readonly passwordHash: string | null } | undefined>;
  putAccount(account: Account): Promise<void>;
  insertUser(user: User, passwordHash: string): Promise<void>;
  setPasswordHash(userId: string, passwordHash: string, now: Date): Promise<void>;
  putApiKey(key: ApiKeyRecord, hash: string): Promise<void>;
  /** Revokes the account's keys with that name, except the one with that hash. */
  revokeOtherKeys(
    keys: { readonly accountId: string; readonly name: string; readonly hash: string },
    now: Date,
  ): Promise<void>;
}
