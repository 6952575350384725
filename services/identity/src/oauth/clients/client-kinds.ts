import type { Client, ClientMetadata } from 'oidc-provider';
import {
  CLI_CLIENT_ID,
  DOCS_CLIENT_ID,
  DOCS_SIGNED_IN_PATH,
  OWN_CONNECTION_CLIENT_ID,
  OWN_CONNECTION_SIGNED_IN_PATH,
} from '@fairlead/access/built-in-clients';
import { PERMISSIONS, SCOPES } from '@fairlead/access/permissions';
import type { Scope } from '@fairlead/access/permissions';
import type { AskingClient } from '../interactions.ts';
import { DEFAULT_SCOPES, parseScopes } from '@fairlead/access/scopes';
import { SCOPES_PROPERTY, ACCOUNT_PROPERTY } from '../../domain/client-properties.ts';

/** The grant type of the device flow (RFC 8628). */
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Fairlead's own clients, for an installation with this public address. All are public; none needs to be registered. */
export function builtInClients(publicUrl: string): ClientMetadata[] {
  return [structuredClone(CLI_CLIENT), docsClient(publicUrl), ownConnectionClient(publicUrl)];
}

/** The command line's client: for the device flow; it may request administration. */
const CLI_CLIENT: ClientMetadata = {
  client_id: CLI_CLIENT_ID,
  client_name: 'Fairlead CLI',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: [DEVICE_CODE_GRANT, 'refresh_token'],
  response_types: [],
  redirect_uris: [],
};

/**
 * The documentation page's client: it may request permissions only, and gets no refresh token, so that a page left open loses access after
 * 15 minutes.
 */
function docsClient(publicUrl: string): ClientMetadata {
  return {
    client_id: DOCS_CLIENT_ID,
    client_name: 'Fairlead API documentation',
    application_type: 'web',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    redirect_uris: [publicUrl + DOCS_SIGNED_IN_PATH],
  };
}

/** The client of the page on which users connect applications: it only authenticates people, and exchanges no code for tokens. */
function ownConnectionClient(publicUrl: string): ClientMetadata {
  return {
    client_id: OWN_CONNECTION_CLIENT_ID,
    client_name: 'Fairlead',
    application_type: 'web',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    redirect_uris: [publicUrl + OWN_CONNECTION_SIGNED_IN_PATH],
  };
}

/** Whether a client only authenticates people: it gets no permissions, so it needs no consent. */
export function isSignInOnly({ clientId }: Client): boolean {
  return clientId === OWN_CONNECTION_CLIENT_ID;
}

const BUILT_IN: ReadonlySet<string> = new Set([CLI_CLIENT_ID, DOCS_CLIENT_ID, OWN_CONNECTION_CLIENT_ID]);

/** Whether a client id is the address of a document that describes the client. */
export function isDocumentId(clientId: string | undefined): boolean {
  return clientId !== undefined && /^https:\/\//i.test(clientId);
}

/**
 * The scopes that a client may request. `administration` is only for the command line, and for clients that an administrator allowed to
 * have it.
 */
export function scopesOfClient(client: Client): readonly Scope[] {
  if (client.clientId === CLI_CLIENT_ID) return SCOPES;
  if (isSignInOnly(client)) return [];
  const allowed = client[SCOPES_PROPERTY];
  return typeof allowed === 'string' ? parseScopes(allowed) : PERMISSIONS;
}

/** The scopes of a client that requests none: the default scopes among its allowed ones; if none of these is allowed, all allowed ones. */
export function defaultScopesOfClient(client: Client): readonly Scope[] {
  const allowed = scopesOfClient(client);
  const defaults = DEFAULT_SCOPES.filter((scope) => allowed.includes(scope));
  return defaults.length > 0 ? defaults : allowed;
}

/** The one account that the client belongs to; undefined if it belongs to none. */
export function accountOfClient(client: Client): string | undefined {
  const accountId = client[ACCOUNT_PROPERTY];
  return typeof accountId === 'string' ? accountId : undefined;
}

/** The client as pages show it to people. */
export function describeClient(client: Client): AskingClient {
  const { clientId } = client;
  const accountId = accountOfClient(client);
  const host = isDocumentId(clientId) ? URL.parse(clientId)?.host : undefined;
  return { id: clientId, name: client.clientName ?? clientId, kind: kindOf(), host, accountId };

  function kindOf(): AskingClient['kind'] {
    if (BUILT_IN.has(clientId)) return 'builtIn';
    if (accountId !== undefined) return 'account';
    return host === undefined ? 'registered' : 'document';
  }
}
