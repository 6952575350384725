import type { Connector } from '@fairlead/connector-model/model';
import type { OAuth2SchemeMembers } from '@fairlead/connector-model/oauth2-scheme';
import { compiled, oauthMethod } from '@fairlead/connector-model/testing/manifest';
import type { Members } from '@fairlead/connector-model/testing/manifest';
import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';
import type { ReceivedRequest, TestResponse } from '@fairlead/connector-runtime/testing/http-server';
import type { OAuthClient } from '@fairlead/connector-runtime/token-client';
import { randomBase62 } from '@fairlead/service-kit/ids';

/** A connector with these members in the scheme of its only method; a sign-in by default. */
export function vendorConnector(
  slug: string,
  scheme: Partial<OAuth2SchemeMembers>,
  fields: readonly Members[] = oauthMethod.fields,
): Connector {
  const method = {
    ...oauthMethod,
    authenticationId: 0,
    isDefault: true,
    fields,
    scheme: { ...oauthMethod.scheme, ...scheme },
  };
  return { ...compiled({ kind: 'Regular', authenticationMethods: [method], tools: [] }), slug };
}

/** The browser of a person whom the vendor does not ask: follows one redirect. */
export async function followRedirect(url: string): Promise<URL> {
  const response = await fetch(url, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (location === null) throw new Error(`The sign-in stopped: ${await response.text()}`);
  return new URL(location);
}

/** A vendor with basic authentication that deviates from the RFCs in all the ways known from real vendors. */
export interface QuirkyVendor {
  readonly client: OAuthClient;
  readonly scheme: Partial<OAuth2SchemeMembers>;
  /** Paths of the token requests, in order. */
  readonly tokenPaths: readonly string[];
  /** Invalidates all refresh tokens. */
  revokeGrants(): void;
  close(): Promise<void>;
}

/**
 * Starts the vendor: JSON requests (as Notion), responses with status 200 that contain the user's tokens or an own error code (as Slack),
 * expiry as a time in milliseconds by `now` (as AliExpress), renewal at another address (as Instagram) with rotation.
 */
export async function startQuirkyVendor(now: () => Date): Promise<QuirkyVendor> {
  const client = { clientId: 'quirky:id', clientSecret: 'quirky secret' };
  const codes = new Set<string>();
  const refreshTokens = new Set<string>();
  const tokenPaths: string[] = [];
  const pair = `${encodeURIComponent(client.clientId)}:quirky+secret`;
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;

  const grant = (): TestResponse => {
    const refreshToken = randomBase62(20);
    refreshTokens.add(refreshToken);
    return {
      body: {
        ok: true,
        authed_user: {
          access_token: randomBase62(20),
          refresh_token: refreshToken,
          expires: now().getTime() + 3_600_000,
        },
      },
    };
  };
  const refuse = (error: string): TestResponse => ({ body: { ok: false, error } });
  const respond = (request: ReceivedRequest): TestResponse => {
    if (request.path === '/authorize') {
      const code = randomBase62(20);
      codes.add(code);
      const location = new URL(request.query.get('redirect_uri') ?? '');
      location.searchParams.set('code', code);
      location.searchParams.set('state', request.query.get('state') ?? '');
      return { status: 302, headers: { location: location.href } };
    }
    tokenPaths.push(request.path);
    if (request.headers.authorization !== authorization) return refuse('bad_client_secret');
    // The test itself sends these requests, so their shape is known.
    const sent = JSON.parse(request.body) as Readonly<Record<string, string>>;
    const isGranted =
      request.path === '/token'
        ? codes.delete(sent['code'] ?? '')
        : refreshTokens.delete(sent['token'] ?? '');
    return isGranted ? grant() : refuse('token_revoked');
  };
  const server = await startTestServer(respond);
  return {
    client,
    scheme: {
      authorizationUrl: `${server.url}/authorize`,
      tokenUrl: `${server.url}/token`,
      usesPkce: false,
      tokenFormat: 'json',
      refresh: { url: `${server.url}/renew`, grantType: 'renew', tokenParameter: 'token' },
      tokenResponse: {
        accessTokenPointers: ['/authed_user/access_token'],
        refreshTokenPointers: ['/authed_user/refresh_token'],
        expiryPointers: ['/authed_user/expires'],
        expiryFormat: 'epochMilliseconds',
        errorCodes: { token_revoked: 'invalid_grant', bad_client_secret: 'invalid_client' },
      },
    },
    tokenPaths,
    revokeGrants: () => refreshTokens.clear(),
    close: () => server.close(),
  };
}
