import type { JsonObject, OAuth2Scheme } from '@fairlead/connector-model/model';
import type { McpAuthorizationServer } from '@fairlead/connector-runtime/mcp-oauth/authorization-server';
import type { TokenAuthentication } from '@fairlead/connector-runtime/mcp-oauth/client-registration';
import { textOf } from '@fairlead/connector-runtime/templates';
import { validationError } from '@fairlead/errors/api-error';
import { Secret } from '@fairlead/service-kit/secret';
import type { FieldValues } from './credential.ts';
import { isLoopback } from './loopback.ts';
import { OWN_CLIENT_ID } from './oauth-client.ts';
import type { MethodClient } from './oauth-client.ts';

/** The authorization server of an MCP server as a sign-in found it, and who Fairlead is there. Holds no secret. */
export interface DiscoveredServer extends Omit<
  McpAuthorizationServer,
  'registrationUrl' | 'takesClientDocuments' | 'clientAuthentications'
> {
  readonly serverUrl: string;
  readonly clientId: string;
  readonly clientAuthentication: TokenAuthentication;
}

/** The method's scheme with the addresses of a server, and with what tokens of it are for (RFC 8707). */
export function schemeAt(scheme: OAuth2Scheme, server: DiscoveredServer | null | undefined): OAuth2Scheme {
  if (server === null || server === undefined) return scheme;
  const { authorizationUrl, tokenUrl, revocationUrl, clientAuthentication, scopes, resource } = server;
  const audience = resource === null ? {} : { resource };
  return {
    ...scheme,
    authorizationUrl,
    tokenUrl,
    // Compared with what a response names (RFC 9207); servers that say so name themselves in each.
    issuer: server.issuer,
    requiresIssuer: server.statesIssuer,
    clientAuthentication,
    scopes,
    // OpenID Connect Core, section 11.
    authorizationParameters: scopes.includes('offline_access')
      ? { ...audience, prompt: 'consent' }
      : audience,
    tokenParameters: audience,
    revocation:
      revocationUrl === null
        ? null
        : {
            url: revocationUrl,
            method: 'POST',
            format: 'form',
            clientAuthentication: null,
            token: 'refreshToken',
            tokenParameter: 'token',
            sendsAccessToken: false,
            // Not known of a server that somebody else runs: RFC 7009 lets it revoke more than the token.
            scope: 'consent',
            parameters: {},
          },
  };
}

/** Whether a client may be used at an issuer. An auth provider is for one: its secret must not be sent to another server. */
export function isClientAt({ authProviderId, fields }: MethodClient, issuer: string): boolean {
  return (
    authProviderId === OWN_CLIENT_ID || withoutSlash(textOf(fields['issuer'] ?? '')) === withoutSlash(issuer)
  );
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, '');
}

/** The address of the MCP server that a caller wants to sign in at: https, or http on this computer; VALIDATION_ERROR. */
export function requireServerUrl(fields: JsonObject): URL {
  const given = fields['serverUrl'] ?? null;
  const refuse = (issue: string) => validationError({ field: 'fields.serverUrl', issue });
  if (given === null || given === '') throw refuse('is required');
  const url = typeof given === 'string' ? URL.parse(given) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw refuse('must be an http or https URL');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw refuse('must be https to sign in at: the access token is sent to it');
  }
  if (url.username !== '' || url.password !== '') throw refuse('must not contain a user name or password');
  url.hash = '';
  return url;
}

/** Where a person signs in for an MCP server, and with which client. */
export interface DiscoveredSignIn {
  readonly server: DiscoveredServer;
  readonly client: MethodClient;
  /** Where the client has the browser sent back to. */
  readonly redirectUri: string;
}

/**
 * The values that a sign-in keeps for its connection: a client of Fairlead's own is among them, because the server may register
 * another one later. The values of an auth provider are read there.
 */
export function withOwnClient(given: FieldValues, { server, client }: DiscoveredSignIn): FieldValues {
  const plain = { ...given.plain, serverUrl: server.serverUrl };
  if (client.authProviderId !== OWN_CLIENT_ID) return { ...given, plain };
  const { clientSecret = '' } = client.fields;
  return {
    plain: { ...plain, clientId: server.clientId },
    secret: new Secret({
      ...given.secret.reveal(),
      ...(clientSecret === '' ? {} : { clientSecret }),
    }),
  };
}
