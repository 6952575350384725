import type { RequestContext } from '@fairlead/service-kit/context/context';
import { userOf } from '@fairlead/service-kit/context/context';
import { mayUseProviders } from '../domain/auth-provider.ts';
import type { AuthProviderStore } from '../ports/auth-provider-store.ts';
import type { SignInClient } from '../ports/catalog.ts';
import type { OwnClients } from '../ports/own-clients.ts';

interface ListSignInClientsDeps {
  readonly ownClients: Pick<OwnClients, 'methods'>;
  readonly authProviders: Pick<AuthProviderStore, 'methods'>;
}

/**
 * The methods with an OAuth client that the caller may use: the connector's own, or an enabled auth provider with its slots that have
 * values.
 */
export async function listSignInClients(
  { ownClients, authProviders }: ListSignInClientsDeps,
  ctx: RequestContext,
): Promise<readonly SignInClient[]> {
  const { accountId, permissions } = userOf(ctx);
  const provided = mayUseProviders(permissions) ? await authProviders.methods(ctx, accountId) : [];
  return [
    ...ownClients.methods().map((method) => ({ ...method, isOwn: true })),
    ...provided.map((method) => ({ ...method, isOwn: false })),
  ];
}
