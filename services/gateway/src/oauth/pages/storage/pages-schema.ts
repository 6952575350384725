import { attemptBucketCollection } from './attempt-bucket.collection.ts';
import { upstreamLinkCollection } from './upstream-link.collection.ts';
import { upstreamSignInCollection } from './upstream-sign-in.collection.ts';

/** Every collection of the pages. */
export const oauthPagesCollections = [
  attemptBucketCollection,
  upstreamLinkCollection,
  upstreamSignInCollection,
];
