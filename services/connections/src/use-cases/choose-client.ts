import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { userOf } from '@fairlead/service-kit/context/context';
import { mayUseProviders } from '../domain/auth-provider.ts';
import type { AuthProviderWithSecrets } from '../domain/auth-provider.ts';
import { OWN_CLIENT_ID, providerMethodClient } from '../domain/oauth-client.ts';
import type { MethodClient, ProviderChoice } from '../domain/oauth-client.ts';
import { findClient } from './find-client.ts';

/**
 * The OAuth client for a method; undefined if at most the connection's own fields have one. NOT_FOUND for an auth provider that does not
 * exist, is disabled, or is not allowed for the caller; INVALID_AUTH_PROVIDER for one of another method. A disabled default is skipped.
 */
export async function chooseClient(
  deps: DepsOf<typeof findClient>,
  ctx: RequestContext,
  target: { readonly applicationSlug: string; readonly method: AuthenticationMethod },
  choice: ProviderChoice,
): Promise<MethodClient | undefined> {
  const { accountId, permissions } = userOf(ctx);
  const inUse = (authProviderId: number): Promise<MethodClient | undefined> =>
    findClient(deps, ctx, { ...target, accountId, authProviderId });
  const { applicationSlug, method } = target;
  const { authenticationId } = method;
  const mayUse = mayUseProviders(permissions);
  switch (choice.kind) {
    case 'current':
      return await inUse(choice.authProviderId);
    case 'connector':
      return await inUse(OWN_CLIENT_ID);
    case 'provider': {
      const opened = mayUse ? await deps.authProviders.open(ctx, accountId, choice.by) : undefined;
      if (opened?.provider.isEnabled !== true) throw notFound('auth provider');
      requireMethodOf(opened, applicationSlug, authenticationId);
      return providerMethodClient(method, opened);
    }
    case 'default': {
      const defaultOf = { applicationSlug, authenticationId };
      const opened = mayUse ? await deps.authProviders.open(ctx, accountId, { defaultOf }) : undefined;
      return opened?.provider.isEnabled === true
        ? providerMethodClient(method, opened)
        : await inUse(OWN_CLIENT_ID);
    }
  }
}

function requireMethodOf(
  { provider }: AuthProviderWithSecrets,
  applicationSlug: string,
  authenticationId: number,
): void {
  if (provider.applicationSlug === applicationSlug && provider.authenticationId === authenticationId) return;
  throw new ApiError(
    'INVALID_AUTH_PROVIDER',
    `The auth provider "${provider.name}" is for another authentication method.`,
  );
}
