import type { AllClientMetadata, Client } from 'oidc-provider';
import { PERMISSIONS, SCOPES } from '../../access/permissions.ts';
import type { Scope } from '../../access/permissions.ts';
import type { AskingClient } from '../interactions.ts';
import { DEFAULT_SCOPES, parseScopes } from '../scopes.ts';

/** How the grant types are named on the wire. */
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

const CLI_CLIENT_ID = 'fairlead-cli';

/** The command line's own client: public, for the device flow, and one of those that may administrate. */
export const CLI_CLIENT: AllClientMetadata & { readonly client_id: string } = {
  client_id: CLI_CLIENT_ID,
  client_name: 'Fairlead CLI',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: [DEVICE_CODE_GRANT, 'refresh_token'],
  response_types: [],
  redirect_uris: [],
};

/** Members of a client's metadata that only our own storage sets: what an administrator allowed it, and for which account. */
export const SCOPES_PROPERTY = 'fairlead_scopes';
export const ACCOUNT_PROPERTY = 'fairlead_account_id';

/** Whether a client id is the address of a document that describes the client. */
export function isDocumentId(clientId: string | undefined): boolean {
  return clientId !== undefined && /^https:\/\//i.test(clientId);
}

/** What a client may ask for at all. Administration only where it is ours, or where an administrator allowed it. */
export function scopesOfClient(client: Client): readonly Scope[] {
  if (client.clientId === CLI_CLIENT_ID) return SCOPES;
  const allowed = client[SCOPES_PROPERTY];
  return typeof allowed === 'string' ? parseScopes(allowed) : PERMISSIONS;
}

/** What a client gets that asks for nothing in particular: the defaults that it may have, or else all that it may have. */
export function defaultScopesOfClient(client: Client): readonly Scope[] {
  const allowed = scopesOfClient(client);
  const defaults = DEFAULT_SCOPES.filter((scope) => allowed.includes(scope));
  return defaults.length > 0 ? defaults : allowed;
}

/** The one account that the client works for; undefined where it is not an account's. */
export function accountOfClient(client: Client): string | undefined {
  const accountId = client[ACCOUNT_PROPERTY];
  return typeof accountId === 'string' ? accountId : undefined;
}

/** The client as a person is told of it. */
export function describeClient(client: Client): AskingClient {
  const { clientId } = client;
  const accountId = accountOfClient(client);
  const host = isDocumentId(clientId) ? URL.parse(clientId)?.host : undefined;
  return { id: clientId, name: client.clientName ?? clientId, kind: kindOf(), host, accountId };

  function kindOf(): AskingClient['kind'] {
    if (clientId === CLI_CLIENT_ID) return 'builtIn';
    if (accountId !== undefined) return 'account';
    return host === undefined ? 'registered' : 'document';
  }
}
