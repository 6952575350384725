import type { Scope } from '@fairlead/access/permissions';

/** The claims of a verified access token. */
export interface VerifiedToken {
  /** Its `jti`. */
  readonly tokenId: string;
  readonly accountId: string;
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date;
}

/** Verifies bearer tokens. */
export interface TokenVerifier {
  /** Undefined for text that is not one of our tokens, and for a token that is expired, revoked or for another audience. */
  verify(token: string): Promise<VerifiedToken | undefined>;
}
