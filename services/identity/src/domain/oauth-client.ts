import type { Scope } from '@fairlead/access/permissions';

/** The grant types that a confidential client of an account may have. */
export const ACCOUNT_CLIENT_GRANTS = ['authorization_code', 'refresh_token', 'client_credentials'] as const;

/** One of ACCOUNT_CLIENT_GRANTS. */
export type AccountClientGrant = (typeof ACCOUNT_CLIENT_GRANTS)[number];

/** A confidential client of an account, without its secret. */
export interface OAuthClient {
  /** The client id: `client_…` */
  readonly id: string;
  readonly accountId: string;
  /** The user that its client credentials act as. */
  readonly userId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly AccountClientGrant[];
  /** The scopes that it may request; its tokens can do no more than their user may. */
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A client to create. */
export interface NewOAuthClient {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly AccountClientGrant[];
  readonly scopes: readonly Scope[];
  /** Absent: the actor. */
  readonly userId?: string | undefined;
}
