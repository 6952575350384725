import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** A person's way to the upstream provider and back, as it is stored. */
export interface UpstreamSignInDocument {
  /** The interaction, which has one such way at a time. */
  readonly _id: string;
  /** SHA-256 of its state and of the cookie of the browser that left. */
  readonly hash: string;
  readonly expiresAt: Date;
}

/** Sign-ins at the upstream provider that are under way. */
export const upstreamSignInCollection = defineCollection<UpstreamSignInDocument>({
  name: 'oauth_upstream_sign_ins',
  indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
});
