import { notFound } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { AccountClientStore } from '../ports/client-store.ts';
import type { GrantStore } from '../ports/grant-store.ts';
import type { ChangeIdentity } from '../ports/identity-change.ts';

/** What deleteOAuthClient needs. */
export interface DeleteOAuthClientDeps {
  readonly clients: Pick<AccountClientStore, 'remove'>;
  readonly grants: Pick<GrantStore, 'removeOf'>;
  readonly changeIdentity: ChangeIdentity;
}

/**
 * Removes a client of the caller's account, then everything that it was granted, so that nothing can be granted to it
 * meanwhile. NOT_FOUND for an unknown client.
 */
export async function deleteOAuthClient(
  { clients, grants, changeIdentity }: DeleteOAuthClientDeps,
  ctx: RequestContext,
  clientId: string,
): Promise<void> {
  const accountId = accountOf(ctx);
  await changeIdentity(accountId, async () => {
    if (!(await clients.remove(ctx, accountId, clientId))) throw notFound('OAuth client');
    await grants.removeOf({ clientId });
  });
}
