import { notFound } from '@fairlead/errors/api-error';
import { userOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { requireOwnerFor } from '../domain/actor.ts';
import type { AccountClientStore } from '../ports/client-store.ts';
import type { GrantStore } from '../ports/grant-store.ts';
import type { ChangeIdentity } from '../ports/identity-change.ts';

interface DeleteOAuthClientDeps {
  readonly clients: Pick<AccountClientStore, 'remove'>;
  readonly grants: Pick<GrantStore, 'removeOf'>;
  readonly changeIdentity: ChangeIdentity;
}

/**
 * Removes a client of the caller's account, then all its grants: in this order, so that no grant is created meanwhile. NOT_FOUND for an
 * unknown client; FORBIDDEN if a caller who is not an owner removes a client that acts as an owner.
 */
export async function deleteOAuthClient(
  { clients, grants, changeIdentity }: DeleteOAuthClientDeps,
  ctx: RequestContext,
  clientId: string,
): Promise<void> {
  const actor = userOf(ctx);
  const { accountId } = actor;
  await changeIdentity(accountId, async () => {
    const isRemoved = await clients.remove(ctx, accountId, clientId, (user) => {
      requireOwnerFor(actor, user?.role);
    });
    if (!isRemoved) throw notFound('OAuth client');
    await grants.removeOf({ clientId });
  });
}
