import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { SignInAddresses } from '../domain/sign-in-addresses.ts';
import type { Catalog } from '../ports/catalog.ts';

interface GetRedirectUriDeps {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly addresses: Pick<SignInAddresses, 'redirectUri'>;
}

/** The redirect URI to register at an application's vendor; NOT_FOUND for an unknown application. */
export async function getRedirectUri(
  { catalog, addresses }: GetRedirectUriDeps,
  ctx: RequestContext,
  applicationSlug: string,
): Promise<string> {
  accountOf(ctx);
  await catalog.getConnector(ctx, applicationSlug);
  return addresses.redirectUri;
}
