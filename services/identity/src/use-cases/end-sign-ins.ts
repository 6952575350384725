import type { ArtifactStore } from '../ports/artifact-store.ts';
import type { GrantStore } from '../ports/grant-store.ts';
import type { SignInEnds } from '../ports/sign-in-ends.ts';

export interface EndSignInsDeps {
  readonly signInEnds: Pick<SignInEnds, 'note'>;
  readonly grants: Pick<GrantStore, 'removeOf'>;
  readonly artifacts: Pick<ArtifactStore, 'removeOf'>;
}

/**
 * Ends all sign-ins of a user: grants with their tokens, and browser sessions. Clients that act as the user remain. Call it within
 * `changeIdentity`. May be repeated.
 */
export async function endSignIns(
  { signInEnds, grants, artifacts }: EndSignInsDeps,
  owner: { readonly accountId: string; readonly userId: string },
): Promise<void> {
  // Recorded first, because a request in progress may write its session again, or finish an earlier sign-in.
  await signInEnds.note(owner);
  await grants.removeOf(owner);
  await artifacts.removeOf(owner);
}
