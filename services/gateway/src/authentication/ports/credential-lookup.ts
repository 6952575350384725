import type { KeyObject } from 'node:crypto';
import type { AccessToken } from '@fairlead/access/access-token';
import type { Budgets } from '@fairlead/access/budgets';
import type { OwnedKey, Owner } from '../domain/owner.ts';

/** The claims of a token that decide whose it is, and whether it was revoked. */
export type TokenClaims = Pick<AccessToken, 'accountId' | 'userId' | 'tokenId' | 'clientId' | 'grantId'>;

/** A user, and an API key of theirs. */
export interface UserReference {
  readonly accountId: string;
  readonly userId: string;
  /** Undefined: whichever. */
  readonly keyId: string | undefined;
}

/** The lookup of credentials in identity. Rejects with UNAVAILABLE while identity does not answer. */
export interface CredentialLookup {
  /** The key of that hash with its owner; undefined if it does not exist or was revoked. */
  findKey(hash: string): Promise<OwnedKey | undefined>;
  /** The owner of a token whose signature was checked; undefined if the token was revoked. */
  findTokenOwner(token: TokenClaims): Promise<Owner | undefined>;
  /** The user; undefined if there is none, or if the key is not theirs, was revoked or has expired. */
  findUser(reference: UserReference): Promise<Owner | undefined>;
}

/** The lookup of accounts and users in identity. Rejects with UNAVAILABLE while identity does not answer. */
export interface AccountLookup {
  /** For each of the accounts, whether it is open; undefined: it does not exist. At most 1 000. */
  areOpen(accountIds: readonly string[]): Promise<readonly (boolean | undefined)[]>;
  /** The budgets of an open account; undefined for any other. */
  findBudgets(accountId: string): Promise<Budgets | undefined>;
  /** The names of the users of the account that exist, by id. At most 1 000. */
  findUserNames(accountId: string, userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** The lookup of people who are signed in in a browser. Rejects with UNAVAILABLE while identity does not answer. */
export interface SignInLookup {
  /** The active user; undefined if nobody is signed in with these cookies. */
  findSignedInUser(cookies: string): Promise<Owner['member'] | undefined>;
}

/** The public keys by which tokens are verified, by id. Rejects with UNAVAILABLE while identity does not answer. */
export type ListVerificationKeys = () => Promise<ReadonlyMap<string, KeyObject>>;

/** The store of key uses. */
export interface KeyUseStore {
  /** Advances the last use of each key, by its id, to the given time; a later time is kept. At most 10 000. */
  recordUses(uses: ReadonlyMap<string, Date>): Promise<void>;
}
