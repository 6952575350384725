import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { OWN_CLIENT_ID, ownMethodClient, providerMethodClient } from '../domain/oauth-client.ts';
import type { MethodClient } from '../domain/oauth-client.ts';
import type { AuthProviderStore } from '../ports/auth-provider-store.ts';
import type { OwnClients } from '../ports/own-clients.ts';

interface FindClientDeps {
  readonly ownClients: Pick<OwnClients, 'find'>;
  readonly authProviders: Pick<AuthProviderStore, 'open'>;
}

/** The owner of a client in use, and its method. */
export interface ClientInUse {
  readonly accountId: string;
  readonly applicationSlug: string;
  readonly method: AuthenticationMethod;
  /** Null: the client, if any, is in the connection's own fields. */
  readonly authProviderId: number | null;
}

/** The current OAuth client of a sign-in or connection, even if disabled; undefined if it is in the connection's own fields, or is gone. */
export async function findClient(
  deps: FindClientDeps,
  ctx: RequestContext,
  { accountId, applicationSlug, method, authProviderId }: ClientInUse,
): Promise<MethodClient | undefined> {
  const { scheme, authenticationId } = method;
  if (scheme.type !== 'oauth2' || authProviderId === null) return undefined;
  if (authProviderId !== OWN_CLIENT_ID) {
    const opened = await deps.authProviders.open(ctx, accountId, { id: authProviderId });
    return opened && providerMethodClient(method, opened);
  }
  const own = deps.ownClients.find(applicationSlug, authenticationId);
  return own && ownMethodClient(scheme, own);
}
