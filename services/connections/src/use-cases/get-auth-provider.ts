import { notFound } from '@fairlead/errors/api-error';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { AuthProviderWithSlots } from '../domain/auth-provider.ts';
import type { AuthProviderStore } from '../ports/auth-provider-store.ts';
import { showAuthProviders } from './show-auth-providers.ts';

type GetAuthProviderDeps = DepsOf<typeof showAuthProviders> & {
  readonly authProviders: Pick<AuthProviderStore, 'find'>;
};

/** One auth provider of the account; NOT_FOUND if there is none. */
export async function getAuthProvider(
  deps: GetAuthProviderDeps,
  ctx: RequestContext,
  id: number,
): Promise<AuthProviderWithSlots> {
  const provider = await deps.authProviders.find(ctx, accountOf(ctx), id);
  const [view] = provider === undefined ? [] : await showAuthProviders(deps, ctx, [provider]);
  if (view === undefined) throw notFound('auth provider');
  return view;
}
