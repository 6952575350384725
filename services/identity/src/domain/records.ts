import type { Budgets } from '@fairlead/access/budgets';
import type { DefaultLicence } from '@fairlead/access/default-licence';
import type { Permission, Role } from '@fairlead/access/permissions';

/** A customer of the platform: owns users, keys, connections and the execution history. */
export interface Account {
  /** `acc_…` */
  readonly id: string;
  readonly name: string;
  /** On: permissions follow roles. Off: every active user may do everything except account administration. */
  readonly isRbacEnabled: boolean;
  /** Initial licence of new connections. */
  readonly defaultLicence: DefaultLicence;
  /** How many connections an end user, a customer of the account's product, may have: 1 to 1 000. */
  readonly maxConnectionsPerEndUser: number;
  readonly budgets: Budgets;
  /** When the erasure of the account's data began: none of its credentials is accepted since. Null: it is not being erased. */
  readonly erasingAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The changeable settings of an account; a setting or budget that is left out keeps its value. */
export interface AccountChange extends Partial<
  Pick<Account, 'name' | 'isRbacEnabled' | 'defaultLicence' | 'maxConnectionsPerEndUser'>
> {
  readonly budgets?: Partial<Budgets>;
}

/**
 * A person's membership of one account. A person in several accounts has a user in each, with its own e-mail address, name and password, so
 * that one account's administrator neither controls nor sees the others.
 */
export interface User {
  /** `usr_…` */
  readonly id: string;
  readonly accountId: string;
  /** In lower case; unique in the account. */
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** An inactive user may do nothing, with any credential. */
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A user with the account that it belongs to. */
export interface Member {
  readonly account: Account;
  readonly user: User;
}

/** An API key, without the key. It acts as its user. */
export interface ApiKeyRecord {
  /** `key_…` */
  readonly id: string;
  readonly accountId: string;
  readonly userId: string;
  readonly name: string;
  /** First characters of the key, by which people recognise it: `fairlead_abcd…`. Null for a key created before they were stored. */
  readonly maskedKey: string | null;
  /** The user's permissions that the key keeps. Null: all. */
  readonly scopes: readonly Permission[] | null;
  /** The toolset to which the key is restricted; deleting the toolset revokes the key. Null: none. */
  readonly toolsetId: string | null;
  /** Null: never. */
  readonly expiresAt: Date | null;
  /** Null: not revoked. */
  readonly revokedAt: Date | null;
  /** When the key was last used, accurate to about a minute. Null: never. */
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A key with its user and account, which decide what it may do. */
export interface KeyOwner extends Member {
  readonly key: ApiKeyRecord;
}

/** Claims of an access token that identify its owner and its revocation; the gateway has verified its signature. */
export interface TokenClaims {
  readonly accountId: string;
  readonly userId: string;
  readonly clientId: string;
  /** The token's `jti`. */
  readonly tokenId: string;
  /** The token's grant; undefined for client credentials. */
  readonly grantId: string | undefined;
}

/** Names an account, or a user in it, to be looked up. */
export interface MemberReference {
  readonly accountId: string;
  readonly userId: string | undefined;
  /** Also looks up an API key: the user counts as missing unless this key of theirs is valid. Undefined: keys do not matter. */
  readonly keyId: string | undefined;
}

/** The account and user that were looked up; undefined where one does not exist. */
export type PartialMember = { readonly [K in keyof Member]: Member[K] | undefined };
