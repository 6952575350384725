import { attemptBucketCollection } from './attempt-bucket.collection.ts';
import { upstreamLinkCollection } from './upstream-link.collection.ts';
import { upstreamSignInCollection } from './upstream-sign-in.collection.ts';
import { oauthArtifactCollection } from './oauth-artifact.collection.ts';
import { oauthClientCollection } from './oauth-client.collection.ts';
import { oauthGrantCollection } from './oauth-grant.collection.ts';
import { revokedTokenCollection } from './revoked-token.collection.ts';
import { signInEndCollection } from './sign-in-end.collection.ts';
import { signingKeyCollection } from './signing-key.collection.ts';

/** Every collection of the authorization server and of its pages. */
export const oauthCollections = [
  oauthArtifactCollection,
  oauthGrantCollection,
  oauthClientCollection,
  revokedTokenCollection,
  signInEndCollection,
  signingKeyCollection,
  attemptBucketCollection,
  upstreamLinkCollection,
  upstreamSignInCollection,
];
