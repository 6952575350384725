import type { JsonObject } from '@fairlead/connector-model/json';
import type { OAuth2Scheme } from '@fairlead/connector-model/model';
import type { McpAuthorizationServer } from '@fairlead/connector-runtime/mcp-oauth/authorization-server';
import type { TokenAuthentication } from '@fairlead/connector-runtime/mcp-oauth/client-registration';
import { textOf } from '@fairlead/connector-runtime/templates';
import { validationError } from '@fairlead/errors/api-error';
import { Secret } from '@fairlead/service-kit/secret';
import type { FieldValues } from './credential.ts';
import { isLoopback } from './loopback.ts';
import { OWN_CLIENT_ID } from './oauth-client.ts';
import type { MethodClient } from './oauth-client.ts';

/** The authorization server of an MCP server, as found at sign-in, and Fairlead's client there. Contains no secret. */
export interface DiscoveredServer extends Omit<
  McpAuthorizationServer,
  'registrationUrl' | 'takesClientDocuments' | 'clientAuthentications'
> {
  readonly serverUrl: string;
  readonly clientId: string;
  readonly clientAuthentication: TokenAuthentication;
}

/** The method's scheme with a server's addresses, and the resource that its tokens are for (RFC 8707). */
export function schemeAt(scheme: OAuth2Scheme, server: DiscoveredServer | null | undefined): OAuth2Scheme {
  if (server === null || server === undefined) return scheme;
  const { authorizationUrl, tokenUrl, revocationUrl, clientAuthentication, scopes, resource } = server;
  const audience = resource === null ? {} : { resource };
  return {
    ...scheme,
    authorizationUrl,
    tokenUrl,
    // Compared with the issuer in the response (RFC 9207); a server that announces it must name its issuer in each response.
    issuer: server.issuer,
    requiresIssuer: server.statesIssuer,
    clientAuthentication,
    scopes,
    // offline_access requires this prompt (OpenID Connect Core, section 11).
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
            // The worst case, because the server is unknown: RFC 7009 allows it to revoke more than the token.
            scope: 'consent',
            parameters: {},
          },
  };
}

/** Whether a client may be used at an issuer. An auth provider is for one issuer: its secret must not be sent to another server. */
export function isClientAt({ authProviderId, fields }: MethodClient, issuer: string): boolean {
  return (
    authProviderId === OWN_CLIENT_ID || withoutSlash(textOf(fields['issuer'] ?? '')) === withoutSlash(issuer)
  );
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, '');
}

/** Returns the MCP server's address to sign in at; VALIDATION_ERROR unless it is https, or http on this computer. */
export function requireServerUrl(fields: JsonObject): URL {
  const address = fields['serverUrl'] ?? null;
  const refuse = (issue: string) => validationError({ field: 'fields.serverUrl', issue });
  if (address === null || address === '') throw refuse('is required');
  const url = typeof address === 'string' ? URL.parse(address) : null;
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

/** Where a person signs in for an MCP server, and the client to use. */
export interface DiscoveredSignIn {
  readonly server: DiscoveredServer;
  readonly client: MethodClient;
  /** Redirect URI of the client. */
  readonly redirectUri: string;
}

/**
 * The values to store with the connection. They include Fairlead's own client, because the server may later register another. An auth
 * provider's values are not included; they are read from the provider.
 */
export function withOwnClient(values: FieldValues, { server, client }: DiscoveredSignIn): FieldValues {
  const plain = { ...values.plain, serverUrl: server.serverUrl };
  if (client.authProviderId !== OWN_CLIENT_ID) return { ...values, plain };
  const { clientSecret = '' } = client.fields;
  return {
    plain: { ...plain, clientId: server.clientId },
    secret: new Secret({
      ...values.secret.reveal(),
      ...(clientSecret === '' ? {} : { clientSecret }),
    }),
  };
}
