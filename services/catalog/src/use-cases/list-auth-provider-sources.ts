import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import { allowsAuthProvider } from '@fairlead/connector-model/provider-slots';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountedPage, Page } from '@fairlead/service-kit/page';
import { pageOf } from '../domain/list.ts';
import type { Catalogue } from '../ports/catalogue.ts';

/** An application with the methods for which auth providers may be created. */
export interface AuthProviderSource {
  readonly applicationSlug: string;
  readonly applicationName: string;
  readonly methods: readonly AuthenticationMethod[];
}

/** One page of the caller's applications whose methods take auth providers, by name. */
export async function listAuthProviderSources(
  { catalogue }: { readonly catalogue: Catalogue },
  ctx: RequestContext,
  page: Page,
): Promise<CountedPage<AuthProviderSource>> {
  const view = await catalogue.view(ctx);
  const sources = view.applications().map(({ connector }) => ({
    applicationSlug: connector.slug,
    applicationName: connector.name,
    methods: connector.authenticationMethods.filter(allowsAuthProvider),
  }));
  return pageOf(
    sources.filter(({ methods }) => methods.length > 0),
    page,
  );
}
