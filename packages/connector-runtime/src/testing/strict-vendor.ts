import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { Provider } from 'oidc-provider';

/** A real OAuth 2 server on loopback that signs in and consents without showing pages. */
export interface StrictVendor {
  readonly url: string;
  /** Follows a sign-in URL like a browser, to the final redirect. */
  signIn(authorizationUrl: string): Promise<URL>;
  /** Whether the vendor still accepts a token from client credentials. */
  isActive(clientToken: string): Promise<boolean>;
  /** Revokes all grants of people. */
  revokeGrants(): Promise<void>;
  close(): Promise<void>;
}

/** The default redirect URI. */
export const REDIRECT_URI = 'http://127.0.0.1/callback';

/** The vendor's clients: secret in the header, secret in the body, public, and one that must use pushed requests. */
export const VENDOR_CLIENTS = {
  // Characters that must be form-encoded before base64 (RFC 6749 section 2.3.1).
  basic: { clientId: 'client:basic', clientSecret: 'se cret+%:/~!*' },
  body: { clientId: 'client-body', clientSecret: 'se cret+%:/~!*' },
  public: { clientId: 'client-public', clientSecret: '' },
  pushing: { clientId: 'client-pushing', clientSecret: 'se cret+%:/~!*' },
} as const;

/** Starts the vendor: PKCE required, refresh tokens rotate, access tokens live for an hour. */
export async function startStrictVendor({
  redirectUri = REDIRECT_URI,
}: { readonly redirectUri?: string } = {}): Promise<StrictVendor> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  const url = `http://127.0.0.1:${address.port}`;
  const provider = new Provider(url, {
    clients: [
      client(VENDOR_CLIENTS.basic, 'client_secret_basic', redirectUri),
      client(VENDOR_CLIENTS.body, 'client_secret_post', redirectUri),
      client(VENDOR_CLIENTS.public, 'none', redirectUri),
      {
        ...client(VENDOR_CLIENTS.pushing, 'client_secret_basic', redirectUri),
        require_pushed_authorization_requests: true,
      },
    ],
    scopes: ['openid', 'offline_access', 'crm.read', 'crm.write'],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
    },
    pkce: { required: () => true },
    jwks: { keys: [signingKey()] },
    ttl: {
      AccessToken: 3600,
      ClientCredentials: 600,
      Grant: 3600,
      IdToken: 3600,
      Interaction: 600,
      RefreshToken: 3600,
      Session: 3600,
    },
    rotateRefreshToken: true,
    cookies: { keys: ['test'] },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  });
  const grantIds: string[] = [];
  const callback = provider.callback();
  server.on('request', (request, response) => {
    const finish = async (): Promise<void> => {
      if (request.url?.startsWith('/interaction/') !== true) {
        await callback(request, response);
        return;
      }
      const { params, prompt } = await provider.interactionDetails(request, response);
      if (prompt.name === 'login') {
        await provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
        return;
      }
      const grant = new provider.Grant({ accountId: 'ada', clientId: String(params['client_id']) });
      grant.addOIDCScope(String(params['scope']));
      const grantId = await grant.save();
      grantIds.push(grantId);
      await provider.interactionFinished(request, response, { consent: { grantId } });
    };
    finish().catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  return {
    url,
    signIn: (authorizationUrl) => signIn(authorizationUrl, redirectUri),
    revokeGrants: async () => {
      for (const id of grantIds.splice(0)) {
        await provider.RefreshToken.revokeByGrantId(id);
        await (await provider.Grant.find(id))?.destroy();
      }
    },
    isActive: async (clientToken) => (await provider.ClientCredentials.find(clientToken)) !== undefined,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function signingKey(): Record<string, unknown> & { kty: string } {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kty: 'RSA', alg: 'RS256', use: 'sig' };
}

function client(
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  method: 'client_secret_basic' | 'client_secret_post' | 'none',
  redirectUri: string,
): Record<string, unknown> & { client_id: string } {
  return {
    client_id: clientId,
    ...(clientSecret === '' ? {} : { client_secret: clientSecret }),
    token_endpoint_auth_method: method,
    application_type: 'native',
    redirect_uris: [redirectUri],
    response_types: ['code'],
    grant_types: [
      'authorization_code',
      'refresh_token',
      ...(method === 'none' ? [] : ['client_credentials']),
    ],
  };
}

async function signIn(authorizationUrl: string, redirectUri: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(authorizationUrl);
  for (let hops = 0; hops < 10; hops += 1) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(';', 1)[0]?.split(/=(.*)/s) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`The sign-in stopped: ${await response.text()}`);
    url = new URL(location, url);
    if (url.href.startsWith(redirectUri)) return url;
  }
  throw new Error('The sign-in never redirected back.');
}
