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
  readonly roles: readonly Role[];
  /** What the caller may do: what the role allows, limited to the scopes of a bearer token. */
  readonly permissions: readonly Permission[];
  /** OAuth scopes of a bearer token; none for an API key, which is limited by its owner's permissions only. */
  readonly scopes: readonly Scope[];
  /** Whether the credential may be used for account administration, if the role allows it. */
  readonly isAdministrationGranted: boolean;
  /** The account's budgets of calls. */
  readonly budgets: Budgets;
  /** The licence of connections that the caller creates. */
  readonly defaultLicence: DefaultLicence;
  /** How many connections an end user of the account may have. */
  readonly maxConnectionsPerEndUser: number;
}
