import type { ChangeIdentity } from '../ports/identity-change.ts';
import type { ArtifactStore } from '../ports/artifact-store.ts';
import type { ClientStore } from '../ports/client-store.ts';
import type { GrantOwner, GrantStore } from '../ports/grant-store.ts';
import type { SignInEnds } from '../ports/sign-in-ends.ts';

/** The owner of the data to erase: an account, a user, or a user in an account. */
export type OAuthOwner =
  | { readonly accountId: string; readonly userId?: string }
  | { readonly userId: string; readonly accountId?: string };

/** Ends grants, so that their tokens stop on every replica within two seconds. */
export interface Revocations {
  /** Ends a grant with all its tokens. Returns its parties; undefined if there was none. */
  endGrant(grantId: string): Promise<GrantOwner | undefined>;
  /** Ends all grants of the client, around `remove`, which removes the client. */
  endClient(accountId: string, clientId: string, remove: () => Promise<boolean>): Promise<boolean>;
  /** Revokes one access token that belongs to no grant. */
  endToken(accountId: string, tokenId: string, expiresAt: Date): Promise<void>;
  /** Ends all sign-ins of a user: grants with their tokens, and browser sessions. Clients that act as the user remain. */
  endSignInsOf(owner: { readonly accountId: string; readonly userId: string }): Promise<void>;
  /**
   * Erases grants, tokens, browser sessions and clients of an account or a user, for erasure and for users who leave. May
   * be repeated.
   */
  eraseOAuthOf(owner: OAuthOwner): Promise<void>;
}

/** The revocations on those repositories. */
export function createRevocations(o: {
  readonly grants: GrantStore;
  readonly artifacts: ArtifactStore;
  readonly clients: Pick<ClientStore, 'removeOf'>;
  readonly signInEnds: Pick<SignInEnds, 'note' | 'removeOf'>;
  readonly changeIdentity: ChangeIdentity;
  readonly accountOf: (userId: string) => Promise<string | undefined>;
}): Revocations {
  async function endGrants(owner: Partial<GrantOwner>): Promise<void> {
    const ids = await o.grants.idsOf(owner);
    // Grants first: without its grant a refresh token is worthless, even if it is not yet deleted.
    await o.grants.removeOf(owner);
    for (const id of ids) await o.artifacts.removeOfGrant(id);
  }

  return {
    async endGrant(grantId) {
      const grant = await o.grants.find(grantId);
      if (grant !== undefined) await o.changeIdentity(grant.owner.accountId, () => o.grants.remove(grantId));
      await o.artifacts.removeOfGrant(grantId);
      return grant?.owner;
    },
    endClient: (accountId, clientId, remove) =>
      o.changeIdentity(accountId, async () => {
        const isRemoved = await remove();
        if (isRemoved) await endGrants({ clientId });
        return isRemoved;
      }),
    endToken: (accountId, tokenId, expiresAt) =>
      o.changeIdentity(accountId, () => o.grants.revokeToken(tokenId, expiresAt)),
    endSignInsOf: (owner) =>
      o.changeIdentity(owner.accountId, async () => {
        // First, because a request in progress may write its session again, or finish an earlier sign-in.
        await o.signInEnds.note(owner);
        await endGrants(owner);
        await o.artifacts.removeOf(owner);
      }),
    async eraseOAuthOf(owner) {
      const erase = async (): Promise<void> => {
        for (const clientId of await o.clients.removeOf(owner)) await endGrants({ clientId });
        await endGrants(owner);
        await o.artifacts.removeOf(owner);
        await o.signInEnds.removeOf(owner);
      };
      const accountId = owner.accountId ?? (owner.userId && (await o.accountOf(owner.userId)));
      await (accountId ? o.changeIdentity(accountId, erase) : erase());
    },
  };
}
