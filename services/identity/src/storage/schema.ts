import { changeCollection } from '@fairlead/service-kit/changes/change.collection';
import type { DatabaseSchema } from '@fairlead/service-kit/mongo/schema';
import { sealingCollections } from '@fairlead/sealing/replacement-state';
import { accountCollection } from './account.collection.ts';
import { apiKeyCollection } from './api-key.collection.ts';
import { attemptBucketCollection } from './attempt-bucket.collection.ts';
import { endedToolsetCollection } from './ended-toolset.collection.ts';
import { oauthArtifactCollection } from './oauth-artifact.collection.ts';
import { oauthClientCollection } from './oauth-client.collection.ts';
import { oauthGrantCollection } from './oauth-grant.collection.ts';
import { revokedTokenCollection } from './revoked-token.collection.ts';
import { signInEndCollection } from './sign-in-end.collection.ts';
import { signingKeyCollection } from './signing-key.collection.ts';
import { upstreamLinkCollection } from './upstream-link.collection.ts';
import { upstreamSignInCollection } from './upstream-sign-in.collection.ts';
import { userCollection } from './user.collection.ts';

/** The service's database as this release declares it. */
export const schema: DatabaseSchema = {
  collections: [
    accountCollection,
    userCollection,
    apiKeyCollection,
    endedToolsetCollection,
    oauthArtifactCollection,
    oauthGrantCollection,
    oauthClientCollection,
    revokedTokenCollection,
    signInEndCollection,
    signingKeyCollection,
    attemptBucketCollection,
    upstreamLinkCollection,
    upstreamSignInCollection,
    ...sealingCollections,
    changeCollection,
  ],
};
