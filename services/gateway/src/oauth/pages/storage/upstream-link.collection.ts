import { defineCollection } from '@fairlead/service-kit/mongo/collection';

/** That a user signs in with an identity of an upstream provider, as it is stored. */
export interface UpstreamLinkDocument {
  /** `upl_…` */
  readonly _id: string;
  /** As the provider names itself. */
  readonly issuer: string;
  /** Whom it means: never given to somebody else (OpenID Connect Core, 2). */
  readonly subject: string;
  readonly userId: string;
  /** The user's account, whose erasure takes the link with it. */
  readonly accountId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Links between users and upstream identities: one identity may have a user in each of several accounts, a user one identity. */
export const upstreamLinkCollection = defineCollection<UpstreamLinkDocument>({
  name: 'oauth_upstream_links',
  indexes: [
    { key: { issuer: 1, userId: 1 }, unique: true },
    { key: { issuer: 1, subject: 1 } },
    { key: { accountId: 1 } },
  ],
});
