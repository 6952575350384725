import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import { TokenError } from '@fairlead/connector-runtime/token-client';
import type { Connection } from './connection.ts';
import type { CredentialSecrets } from './credential.ts';
import { fieldValues } from './credential.ts';
import { isClientAt, schemeAt } from './mcp-sign-in.ts';
import { oauthClientIn, OWN_CLIENT_ID, withScopesOf } from './oauth-client.ts';
import type { MethodClient } from './oauth-client.ts';

/** The scheme, client and values for requesting a connection's tokens; throws a TokenError if it has no client. */
export function tokenRequestOf(
  { connection, credential }: { readonly connection: Connection; readonly credential: CredentialSecrets },
  method: AuthenticationMethod,
  used: MethodClient | undefined,
) {
  if (method.scheme.type !== 'oauth2')
    throw new TokenError('unavailable', 'the application no longer offers this method');
  const server = connection.server ?? undefined;
  if (server !== undefined && used !== undefined && !isClientAt(used, server.issuer))
    throw new TokenError('unavailable', 'the auth provider is for another authorization server now');
  const scheme = schemeAt(withScopesOf(method.scheme, used), server);
  const field = { ...fieldValues(connection.fields, credential), ...used?.fields };
  const client = oauthClientIn(scheme, field);
  if (client === undefined) throw noClient(connection);
  return { scheme, call: { accountId: connection.accountId, client, values: { field } } };
}

function noClient({ authProviderId }: Connection): TokenError {
  switch (authProviderId) {
    case null:
      return new TokenError('refused', 'the connection has no OAuth client');
    case OWN_CLIENT_ID:
      return new TokenError('unavailable', 'the OAuth client is no longer configured');
    default:
      return new TokenError('unavailable', 'the auth provider has no client id or no client secret');
  }
}
