import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** A stored sign-in at the upstream provider. */
export interface UpstreamSignInDocument {
  /** The interaction's id: an interaction has at most one upstream sign-in at a time. */
  readonly _id: string;
  /** SHA-256 of the state and of the cookie of the browser that started it. */
  readonly hash: string;
  readonly expiresAt: Date;
}

/** Pending sign-ins at the upstream provider. */
export const upstreamSignInCollection = defineCollection<UpstreamSignInDocument>({
  name: 'oauth_upstream_sign_ins',
  indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
});
