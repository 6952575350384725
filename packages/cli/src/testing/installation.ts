import { startApiServer } from '@fairlead/sdk/testing/api-server';
import type { ApiServer, ReceivedRequest, Reply } from '@fairlead/sdk/testing/api-server';

/** An installation's public side for tests: issuer metadata, a device flow, and routes that the test serves itself. */
export interface Installation extends ApiServer {
  /** The current refresh token; each is valid for one use. */
  refreshToken(): string;
  /** The current access token. */
  accessToken(): string;
  /** Approves the device flow; until then polls get `authorization_pending`. */
  approve(): void;
  /** Ends the device flow without a token, for this reason. */
  refuse(error: string): void;
  /** Invalidates every token. */
  revokeAll(): void;
  /** Tokens that a client has revoked. */
  readonly revoked: readonly string[];
}

/** A test's responses for the API's own routes; undefined means 404. */
export type Routes = (request: ReceivedRequest, isAuthorized: boolean) => Reply | undefined;

const json = (body: unknown, status = 200): Reply => ({ status, body });

/** Starts one. Its tokens last `expiresIn` seconds. */
export async function startInstallation(routes: Routes, expiresIn = 900): Promise<Installation> {
  let generation = 0;
  let decision = 'authorization_pending';
  let isRevoked = false;
  const revoked: string[] = [];
  const accessToken = (): string => `access-${generation}`;
  const refreshToken = (): string => `refresh-${generation}`;
  const tokens = (): Reply => {
    generation += 1;
    return json({
      access_token: accessToken(),
      refresh_token: refreshToken(),
      token_type: 'Bearer',
      expires_in: expiresIn,
      scope: 'connections.read administration offline_access',
    });
  };
  const refused = (error: string): Reply => json({ error, error_description: `It is ${error}.` }, 400);
  const grant = (form: URLSearchParams): Reply => {
    if (form.get('grant_type') === 'refresh_token') {
      return form.get('refresh_token') === refreshToken() && !isRevoked ? tokens() : refused('invalid_grant');
    }
    if (form.get('device_code') !== 'device-1') return refused('invalid_grant');
    return decision === 'approved' ? tokens() : refused(decision);
  };
  const server = await startApiServer((request) => {
    const form = new URLSearchParams(request.body);
    const { pathname } = new URL(request.path, server.url);
    switch (pathname) {
      case '/.well-known/oauth-protected-resource':
        return json({ resource: server.url, authorization_servers: [`${server.url}/oauth`] });
      case '/.well-known/oauth-authorization-server/oauth':
        return json(metadataOf(server.url));
      case '/oauth/jwks':
        return json({ keys: [{ kty: 'EC' }] });
      case '/oauth/device/auth':
        return json({
          device_code: 'device-1',
          user_code: 'ABCD-EFGH',
          verification_uri: `${server.url}/oauth/device`,
          verification_uri_complete: `${server.url}/oauth/device?user_code=ABCD-EFGH`,
          expires_in: 600,
          interval: 0.01,
        });
      case '/oauth/token':
        return grant(form);
      case '/oauth/token/revocation':
        revoked.push(form.get('token') ?? '');
        return { status: 200 };
      default: {
        const isAuthorized = !isRevoked && request.headers.authorization === `Bearer ${accessToken()}`;
        return routes(request, isAuthorized) ?? json({ errorCode: 'NOT_FOUND', message: 'Unknown.' }, 404);
      }
    }
  });
  return {
    ...server,
    accessToken,
    refreshToken,
    revoked,
    approve: () => {
      decision = 'approved';
    },
    refuse: (error) => {
      decision = error;
    },
    revokeAll: () => {
      isRevoked = true;
    },
  };
}

function metadataOf(url: string): object {
  return {
    issuer: `${url}/oauth`,
    token_endpoint: `${url}/oauth/token`,
    jwks_uri: `${url}/oauth/jwks`,
    device_authorization_endpoint: `${url}/oauth/device/auth`,
    revocation_endpoint: `${url}/oauth/token/revocation`,
    scopes_supported: ['openid', 'connections.read', 'offline_access'],
    code_challenge_methods_supported: ['S256'],
  };
}
