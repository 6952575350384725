import type { Document } from 'mongodb';
import type { SealedCollection } from '@fairlead/sealing/sealed-fields';
import { oauthArtifactCollection } from './oauth-artifact.collection.ts';
import type { OAuthArtifactDocument } from './oauth-artifact.collection.ts';
import { SEALING_SCOPE, artifactBinding, signingKeyBinding } from './sealing-scope.ts';
import { signingKeyCollection } from './signing-key.collection.ts';
import type { SigningKeyDocument } from './signing-key.collection.ts';

const artifacts: SealedCollection<OAuthArtifactDocument> = {
  definition: oauthArtifactCollection,
  members: [],
  fields: [{ path: 'sealed', scopesOf: () => [SEALING_SCOPE], bindingOf: ({ _id }) => artifactBinding(_id) }],
};

const signingKeys: SealedCollection<SigningKeyDocument> = {
  definition: signingKeyCollection,
  members: [],
  fields: [
    { path: 'sealed', scopesOf: () => [SEALING_SCOPE], bindingOf: ({ _id }) => signingKeyBinding(_id) },
  ],
};

/** Every sealed value of the service's database. */
export const sealedCollections: readonly SealedCollection<Document>[] = [artifacts, signingKeys];
