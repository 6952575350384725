import type { ConnectorHead } from '@fairlead/connector-model/model';
import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { AuthProvider, AuthProviderWithSlots } from '../domain/auth-provider.ts';
import { showProvider } from '../domain/auth-provider.ts';
import type { Catalog } from '../ports/catalog.ts';

/** The providers with the slots of their methods in the current catalogue. */
export async function showAuthProviders(
  { catalog }: { readonly catalog: Pick<Catalog, 'getConnector'> },
  ctx: RequestContext,
  providers: readonly AuthProvider[],
): Promise<readonly AuthProviderWithSlots[]> {
  const slugs = [...new Set(providers.map(({ applicationSlug }) => applicationSlug))];
  const heads = new Map(
    await Promise.all(slugs.map(async (slug) => [slug, await headOf(catalog, ctx, slug)] as const)),
  );
  return providers.map((provider) =>
    showProvider(
      provider,
      heads
        .get(provider.applicationSlug)
        ?.authenticationMethods.find(
          ({ authenticationId }) => authenticationId === provider.authenticationId,
        ),
    ),
  );
}

/** Undefined: the application is gone. */
async function headOf(
  catalog: Pick<Catalog, 'getConnector'>,
  ctx: RequestContext,
  slug: string,
): Promise<ConnectorHead | undefined> {
  try {
    return await catalog.getConnector(ctx, slug);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
