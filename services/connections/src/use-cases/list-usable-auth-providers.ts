import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { AuthProviderPage, AuthProviderStore } from '../ports/auth-provider-store.ts';

/** One page of the account's enabled auth providers, newest first; of one application, or all (undefined). */
export async function listUsableAuthProviders(
  { authProviders }: { readonly authProviders: Pick<AuthProviderStore, 'list'> },
  ctx: RequestContext,
  { applicationSlug, ...page }: Page & { readonly applicationSlug: string | undefined },
): Promise<AuthProviderPage> {
  return await authProviders.list(ctx, accountOf(ctx), { ...page, usable: { applicationSlug } });
}
