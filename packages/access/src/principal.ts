import type { Budgets } from './budgets.ts';
import type { DefaultLicence } from './default-licence.ts';
import type { Permission, Role, Scope } from './permissions.ts';

/** The caller of a request: a user of an account, identified by a credential. */
export interface Principal {
  readonly accountId: string;
  readonly accountName: string;
  readonly userId: string;
  readonly userName: string;
  readonly userEmail: string;
  readonly credentialType: 'apiKey' | 'bearer';
  /** The id of the credential, never the credential itself: a key's id, a token's `jti`. */
  readonly credentialId: string;
  /** The OAuth client of a bearer token, and the token's grant, if it has one. Absent: an API key. */
  readonly client?: { readonly clientId: string; readonly grantId?: string };
  readonly roles: readonly Role[];
  /** Permissions of the role that are within the scopes of the credential. */
  readonly permissions: readonly Permission[];
  /**
   * OAuth scopes of a bearer token, or the permissions to which an API key is limited. Null: a key with all
   * permissions of its user.
   */
  readonly scopes: readonly Scope[] | null;
  /** The toolset that an API key is confined to. Null: none. */
  readonly toolsetId: string | null;
  /** Whether the credential may be used for account administration, if the role allows it. */
  readonly isAdministrationGranted: boolean;
  /** The account's budgets of calls. */
  readonly budgets: Budgets;
  /** The licence of connections that the caller creates. */
  readonly defaultLicence: DefaultLicence;
  /** How many connections an end user of the account may have. */
  readonly maxConnectionsPerEndUser: number;
}

/** Whether the principal's API key may do less than its user: it has scopes or a toolset. */
export function isRestrictedKey({
  credentialType,
  scopes,
  toolsetId,
}: Pick<Principal, 'credentialType' | 'scopes' | 'toolsetId'>): boolean {
  return credentialType === 'apiKey' && (scopes !== null || toolsetId !== null);
}
