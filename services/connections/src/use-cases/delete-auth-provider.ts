import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { AuthProviderStore } from '../ports/auth-provider-store.ts';

interface DeleteAuthProviderDeps {
  readonly authProviders: Pick<AuthProviderStore, 'delete'>;
  readonly clock: Clock;
}

/** Removes an auth provider; NOT_FOUND if there is none, AUTH_PROVIDER_IN_USE while a connection uses it. */
export async function deleteAuthProvider(
  { authProviders, clock }: DeleteAuthProviderDeps,
  ctx: RequestContext,
  id: number,
): Promise<void> {
  switch (await authProviders.delete(ctx, accountOf(ctx), id, clock.now())) {
    case 'deleted':
      return;
    case 'missing':
      throw notFound('auth provider');
    case 'inUse':
      throw new ApiError(
        'AUTH_PROVIDER_IN_USE',
        'Connections are signed in through the auth provider. Delete them first, or disable the auth provider.',
      );
  }
}
