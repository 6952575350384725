import { oauthArtifactCollection } from './oauth-artifact.collection.ts';
import { signingKeyCollection } from './signing-key.collection.ts';

/** The scope of all values that this service seals: none per account, because artifacts are looked up before their account is known. */
export const SEALING_SCOPE = 'identity';

/** The associated data of a sealed artifact. */
export function artifactBinding(id: string): readonly string[] {
  return [oauthArtifactCollection.name, id];
}

/** The associated data of a generation's sealed keys. */
export function signingKeyBinding(generation: number): readonly string[] {
  return [signingKeyCollection.name, String(generation)];
}
