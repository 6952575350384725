import type { Scope } from '../../access/permissions.ts';

/** What an access token of ours says, once it is verified. */
export interface VerifiedToken {
  /** Its `jti`. */
  readonly tokenId: string;
  readonly accountId: string;
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date;
}

/** Tells whether a bearer token is one of ours. */
export interface TokenVerifier {
  /** Undefined for what is no token of ours, or one that is expired, revoked or meant for another audience. */
  verify(token: string): Promise<VerifiedToken | undefined>;
}
