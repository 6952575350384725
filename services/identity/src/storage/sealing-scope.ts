import { oauthArtifactCollection } from './oauth-artifact.collection.ts';
import { signingKeyCollection } from './signing-key.collection.ts';

/** The scope of everything that this service seals: artifacts are looked up before their account is known. */
export const SEALING_SCOPE = 'identity';

/** The place of a sealed artifact. */
export function artifactBinding(id: string): readonly string[] {
  return [oauthArtifactCollection.name, id];
}

/** The place of the sealed keys of a generation. */
export function signingKeyBinding(generation: number): readonly string[] {
  return [signingKeyCollection.name, String(generation)];
}
