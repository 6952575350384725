import type { KeyObject } from 'node:crypto';
import type { AccessToken } from '@fairlead/access/access-token';
import type { Budgets } from '@fairlead/access/budgets';
import type { OwnedKey, Owner } from '../domain/owner.ts';

/** The claims of a token that identify its owner and its revocation. */
export type TokenClaims = Pick<AccessToken, 'accountId' | 'userId' | 'tokenId' | 'clientId' | 'grantId'>;

/** A user and one of their API keys. */
export interface UserReference {
  readonly accountId: string;
  readonly userId: string;
  /** Undefined: whichever. */
  readonly keyId: string | undefined;
}

/** The lookup of credentials in identity. Rejects with UNAVAILABLE while identity does not answer. */
export interface CredentialLookup {
  /** The key with that hash and its owner; undefined if the key does not exist or was revoked. */
  findKey(hash: string): Promise<OwnedKey | undefined>;
  /** The owner of a token whose signature was verified; undefined if the token was revoked. */
  findTokenOwner(token: TokenClaims): Promise<Owner | undefined>;
  /** The user; undefined if the user does not exist, or if the key belongs to another user, was revoked or has expired. */
  findUser(reference: UserReference): Promise<Owner | undefined>;
}

/** The lookup of accounts and users in identity. Rejects with UNAVAILABLE while identity does not answer. */
export interface AccountLookup {
  /** Whether each account is open; undefined: it does not exist. At most 1 000 accounts. */
  areOpen(accountIds: readonly string[]): Promise<readonly (boolean | undefined)[]>;
  /** The budgets of an open account; undefined for any other. */
  findBudgets(accountId: string): Promise<Budgets | undefined>;
  /** Names of the account's existing users, by id. At most 1 000. */
  findUserNames(accountId: string, userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** The lookup of people who are signed in in a browser. Rejects with UNAVAILABLE while identity does not answer. */
export interface SignInLookup {
  /** The active user; undefined if nobody is signed in with these cookies. */
  findSignedInUser(cookies: string): Promise<Owner['member'] | undefined>;
}

/** Public keys that verify tokens, by id. Rejects with UNAVAILABLE while identity does not answer. */
export type ListVerificationKeys = () => Promise<ReadonlyMap<string, KeyObject>>;

/** Stores when keys were last used. */
export interface KeyUseStore {
  /** Sets the last use of each key, by key id; a later stored time is kept. At most 10 000 keys. */
  recordUses(uses: ReadonlyMap<string, Date>): Promise<void>;
}
