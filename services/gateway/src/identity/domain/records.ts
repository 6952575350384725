import type { Budgets } from '../../access/budgets.ts';
import type { DefaultLicence } from '../../access/default-licence.ts';
import type { Role } from '../../access/permissions.ts';

/** A customer of the platform: owns users, connections, tools' history, keys. */
export interface Account {
  /** `acc_…` */
  readonly id: string;
  readonly name: string;
  /** On: permissions follow roles. Off: every active user may do all but account administration. */
  readonly isRbacEnabled: boolean;
  /** The licence that a new connection gets. */
  readonly defaultLicence: DefaultLicence;
  readonly budgets: Budgets;
  /** Since when all of the account's data is being erased: none of its credentials opens anything. Null: it is not. */
  readonly erasingAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What may be changed of an account; what is left out stays, each budget for itself. */
export interface AccountChange extends Partial<Pick<Account, 'name' | 'isRbacEnabled' | 'defaultLicence'>> {
  readonly budgets?: Partial<Budgets>;
}

/**
 * A person's membership of one account. Whoever is a member of several accounts has a user in each, with an e-mail
 * address, a name and a password of its own: who administrates one account decides nothing in another, and learns
 * nothing of it.
 */
export interface User {
  /** `usr_…` */
  readonly id: string;
  readonly accountId: string;
  /** In lower case; unique in the account. */
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** A user who is not active may do nothing, by whichever credential. */
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
  /** How the key begins, to recognise it by: `fairlead_abcd…`. Null for a key from before that was kept. */
  readonly maskedKey: string | null;
  /** Null: never. */
  readonly expiresAt: Date | null;
  /** Null: not revoked. */
  readonly revokedAt: Date | null;
  /** When the key was last used, give or take a minute. Null: never. */
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A key with everything that decides what it may do. */
export interface KeyOwner extends Member {
  readonly key: ApiKeyRecord;
}
