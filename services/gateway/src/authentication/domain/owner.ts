import type { Permission } from '@fairlead/access/permissions';
import type { Principal } from '@fairlead/access/principal';

/** The user that a credential acts as, with its account. */
export interface Owner {
  /** The members of a principal that do not depend on its credential. */
  readonly member: Omit<
    Principal,
    'credentialType' | 'credentialId' | 'client' | 'scopes' | 'toolsetId' | 'isAdministrationGranted'
  >;
  /** An inactive user is refused, whatever the credential. */
  readonly isActive: boolean;
  /** False while the account is being erased: its credentials are not accepted. */
  readonly isAccountOpen: boolean;
}

/** An API key with its owner. */
export interface OwnedKey {
  readonly owner: Owner;
  readonly keyId: string;
  /** Null: it does not expire. */
  readonly expiresAt: Date | null;
  /** The permissions of the key: its owner's permissions are limited to these. Null: no limit. */
  readonly scopes: readonly Permission[] | null;
  /** The toolset to which the key is restricted. Null: none. */
  readonly toolsetId: string | null;
}
