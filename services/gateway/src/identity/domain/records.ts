import type { Role } from './permissions.ts';

/** A customer of the platform: owns connections, tools' history, keys. */
export interface Account {
  /** `acc_…` */
  readonly id: string;
  readonly name: string;
  /** On: permissions follow roles. Off: every active member may do all but account administration. */
  readonly isRbacEnabled: boolean;
}

/** A person, who may be a member of several accounts. */
export interface User {
  /** `usr_…` */
  readonly id: string;
  /** In lower case; unique. */
  readonly email: string;
  readonly name: string;
}

/** A user's place in an account. */
export interface Membership {
  readonly accountId: string;
  readonly userId: string;
  readonly role: Role;
  readonly isActive: boolean;
}

/** An API key, without the key. It acts as its owner. */
export interface ApiKeyRecord {
  /** `key_…` */
  readonly id: string;
  readonly name: string;
  /** Null: never. */
  readonly expiresAt: Date | null;
  /** Null: not revoked. */
  readonly revokedAt: Date | null;
}

/** A key with everything that decides what it may do. */
export interface KeyOwner {
  readonly key: ApiKeyRecord;
  readonly account: Account;
  readonly user: User;
  /** Undefined where the owner is no longer a member of the account. */
  readonly membership: Membership | undefined;
}
