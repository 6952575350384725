import type { Permission, Role } from './permissions.ts';

/** Who a request comes from: a user of an account, known by a credential. */
export interface Principal {
  readonly accountId: string;
  readonly accountName: string;
  readonly userId: string;
  readonly userName: string;
  readonly userEmail: string;
  readonly credentialType: 'apiKey' | 'bearer';
  /** The record of the credential, never the credential. */
  readonly credentialId: string;
  readonly roles: readonly Role[];
  readonly permissions: readonly Permission[];
  /** OAuth scopes of a bearer token; none for an API key, which is limited by its owner's permissions only. */
  readonly scopes: readonly Permission[];
}
