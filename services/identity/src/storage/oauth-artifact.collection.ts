import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { SealedValue } from '@fairlead/sealing/sealed-value';

/** A stored code, refresh token, device code, browser session or interaction. */
export interface OAuthArtifactDocument {
  /** Kind, and SHA-256 of the value that the client or browser holds; the value itself is not stored. */
  readonly _id: string;
  readonly kind: string;
  /** The authorization server's record of it, as JSON. */
  readonly sealed: SealedValue;
  readonly grantId?: string;
  readonly accountId?: string;
  readonly userId?: string;
  /** SHA-256 of a session's second id, by which artifacts created in the session find it. */
  readonly uidHash?: string;
  /** Fingerprint of a device code's user code, too short for a plain hash. */
  readonly userCodeHash?: string;
  /** When it was first consumed. */
  readonly consumedAt?: Date;
  readonly expiresAt: Date;
}

const where = (field: string) => ({ partialFilterExpression: { [field]: { $exists: true } } });

/** Codes, refresh tokens, sessions and interactions, by the hash of their value. */
export const oauthArtifactCollection = defineCollection<OAuthArtifactDocument>({
  name: 'oauth_artifacts',
  indexes: [
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    { key: { grantId: 1 }, ...where('grantId') },
    { key: { accountId: 1 }, ...where('accountId') },
    { key: { userId: 1 }, ...where('userId') },
    // Not unique: two concurrent requests of one session may each write it under a new id.
    { key: { uidHash: 1 }, ...where('uidHash') },
    { key: { userCodeHash: 1 }, unique: true, ...where('userCodeHash') },
  ],
});
