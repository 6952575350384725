import type { Budgets } from './budgets.ts';
import type { DefaultLicence } from './default-licence.ts';
import type { Permission, Role, Scope } from './permissions.ts';

/** Who a request comes from: a user of an account, known by a credential. */
export interface Principal {
  readonly accountId: string;
  readonly accountName: string;
  readonly userId: string;
  readonly userName: string;
  readonly userEmail: string;
  readonly credentialType: 'apiKey' | 'bearer';
  /** The record of the credential, never the credential: a key's id, a token's `jti`. */
  readonly credentialId: string;
  readonly roles: readonly Role[];
  /** What the caller may do: what the role allows, and of a bearer token what its scopes grant of that. */
  readonly permissions: readonly Permission[];
  /** OAuth scopes of a bearer token; none for an API key, which is limited by its owner's permissions only. */
  readonly scopes: readonly Scope[];
  /** Whether the credential may be used for account administration, where the role allows it. */
  readonly isAdministrationGranted: boolean;
  /** How much the account may call. */
  readonly budgets: Budgets;
  /** The licence that a connection gets which the caller creates. */
  readonly defaultLicence: DefaultLicence;
}
