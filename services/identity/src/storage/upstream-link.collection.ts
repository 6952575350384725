import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** A stored link between a user and an identity of an upstream provider. */
export interface UpstreamLinkDocument {
  /** `upl_…` */
  readonly _id: string;
  /** The provider's issuer identifier. */
  readonly issuer: string;
  /** The provider's id of the person, never reassigned (OpenID Connect Core, 2). */
  readonly subject: string;
  readonly userId: string;
  /** The user's account; erasing it deletes the link. */
  readonly accountId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Links between users and upstream identities. An identity may have one user per account, a user one identity. */
export const upstreamLinkCollection = defineCollection<UpstreamLinkDocument>({
  name: 'oauth_upstream_links',
  indexes: [
    { key: { issuer: 1, userId: 1 }, unique: true },
    { key: { issuer: 1, subject: 1 } },
    { key: { accountId: 1 } },
  ],
});
