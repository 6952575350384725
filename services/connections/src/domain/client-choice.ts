import type { JsonObject, OAuth2Scheme } from '@fairlead/connector-model/model';
import { ApiError, notFound } from '@fairlead/errors/api-error';

/** Whose OAuth client the caller asked for. `default`: the caller did not choose. */
export type ProviderChoice =
  { readonly kind: 'default' } | { readonly kind: 'connector' } | { readonly kind: 'provider' };

/** `authProviderId` of a connection that uses the connector's own OAuth client. */
export const OWN_CLIENT_ID = 0;

/**
 * Where the client of a client-credentials connection is: `own` (the operator configured one for the connector) or
 * `fields` (the connection must hold it). Fields that name a client take precedence over the default choice. Throws
 * NOT_FOUND for an auth provider, because accounts have none yet.
 */
export function clientForCredentials(
  scheme: OAuth2Scheme,
  choice: ProviderChoice,
  hasOwnClient: boolean,
  given: JsonObject,
): 'own' | 'fields' {
  refuseProviders(choice);
  if (!hasOwnClient) return 'fields';
  if (choice.kind === 'connector') return 'own';
  const namesClient = [scheme.clientIdField, scheme.clientSecretField].some(
    (name) => (given[name] ?? null) !== null,
  );
  return namesClient ? 'fields' : 'own';
}

/**
 * Accepts a choice for a sign-in, which uses the connector's own client. Throws NOT_FOUND for an auth provider,
 * INVALID_AUTH_PROVIDER if there is no own client.
 */
export function requireSignInClient<T>(
  choice: ProviderChoice,
  ownClient: T | undefined,
  applicationName: string,
): asserts ownClient is T {
  refuseProviders(choice);
  if (ownClient !== undefined) return;
  throw new ApiError(
    'INVALID_AUTH_PROVIDER',
    `This installation has no OAuth client for ${applicationName}, so the sign-in needs an auth provider.`,
  );
}

function refuseProviders(choice: ProviderChoice): void {
  if (choice.kind === 'provider') throw notFound('auth provider');
}
