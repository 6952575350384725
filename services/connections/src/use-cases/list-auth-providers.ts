import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { AuthProviderWithSlots } from '../domain/auth-provider.ts';
import type { AuthProviderStore } from '../ports/auth-provider-store.ts';
import { showAuthProviders } from './show-auth-providers.ts';

type ListAuthProvidersDeps = DepsOf<typeof showAuthProviders> & {
  readonly authProviders: Pick<AuthProviderStore, 'list'>;
};

/** One page of the account's auth providers, newest first. */
export async function listAuthProviders(
  deps: ListAuthProvidersDeps,
  ctx: RequestContext,
  page: Page,
): Promise<{ readonly items: readonly AuthProviderWithSlots[]; readonly totalCount: number }> {
  const { items, totalCount } = await deps.authProviders.list(ctx, accountOf(ctx), page);
  return { items: await showAuthProviders(deps, ctx, items), totalCount };
}
