import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** A revoked access token of client credentials; other tokens end with their grant. */
export interface RevokedTokenDocument {
  /** The token's `jti`. */
  readonly _id: string;
  /** When the token would have expired anyway. */
  readonly expiresAt: Date;
}

/** Revoked access tokens that belong to no grant. */
export const revokedTokenCollection = defineCollection<RevokedTokenDocument>({
  name: 'oauth_revoked_tokens',
  indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
});
