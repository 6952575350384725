import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';
import { startEverythingServer } from './everything-server.ts';

/** The MCP reference server behind a sign-in. A real authorization server runs on a separate port. */
export interface McpOAuthServer {
  /** URL of the MCP endpoint. */
  readonly url: string;
  readonly issuer: string;
  /** The parameters of every token request, and the client metadata of every registration. */
  readonly tokenRequests: readonly URLSearchParams[];
  /** The tokens in received revocation requests. */
  readonly revoked: readonly (string | null)[];
  readonly registrations: readonly Readonly<Record<string, unknown>>[];
  /** Follows an authorization URL like the browser of a consenting person; returns the redirect. */
  signIn(authorizationUrl: string): Promise<URL>;
  /** Makes the authorization server forget a registered client. */
  forgetClient(clientId: string): Promise<void>;
  /** Revokes all grants so far: their access tokens are refused and cannot be renewed. */
  revokeGrants(): Promise<void>;
  /** Makes the MCP server refuse the access tokens issued so far. */
  refuseTokens(): void;
  /** Stops or restarts the MCP server only. */
  setDown(isDown: boolean): void;
  close(): Promise<void>;
}

const SCOPES = ['mcp:tools', 'offline_access'];

/** Starts both servers. `publicUrl`: the prefix of the redirect URI. */
export async function startMcpOAuthServer(publicUrl: string): Promise<McpOAuthServer> {
  const everything = await startEverythingServer();
  const [authorization, resource] = [createServer(), createServer()];
  const issuer = await listen(authorization);
  const origin = await listen(resource);
  const url = `${origin}/mcp`;
  const tokenRequests: URLSearchParams[] = [];
  const revoked: (string | null)[] = [];
  const registrations: Readonly<Record<string, unknown>>[] = [];
  const refused = new Set<string>();
  const seen = new Set<string>();
  let isDown = false;
  const provider = authorizationServer(issuer, url);
  const callback = provider.callback();
  const refreshTokens = new Set<{ destroy(): Promise<void> }>();
  provider.on('refresh_token.saved', (token) => void refreshTokens.add(token));

  const answerAuthorization = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url?.startsWith('/interaction/') === true) return consent(provider, request, response);
    const isNoted =
      request.method === 'POST' && ['/token', '/token/revocation', '/reg'].includes(request.url ?? '');
    if (isNoted) {
      const body = await textOf(request);
      if (request.url === '/token') tokenRequests.push(new URLSearchParams(body));
      else if (request.url === '/token/revocation') revoked.push(new URLSearchParams(body).get('token'));
      else registrations.push(JSON.parse(body) as Record<string, unknown>); // our own client sends it
      // oidc-provider accepts a body that is parsed already.
      Object.assign(request, {
        body:
          request.url === '/reg'
            ? (JSON.parse(body) as unknown)
            : Object.fromEntries(new URLSearchParams(body)),
      });
    }
    await callback(request, response);
  };

  const answerResource = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (isDown) {
      request.socket.destroy();
      return;
    }
    if (request.url === '/.well-known/oauth-protected-resource/mcp') {
      const metadata = { resource: url, authorization_servers: [issuer], scopes_supported: SCOPES };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
      return;
    }
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    const found = token === '' || refused.has(token) ? undefined : await provider.AccessToken.find(token);
    if (found?.aud !== url) {
      const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
      return;
    }
    seen.add(token);
    const { method = '', headers } = request;
    const inner = httpRequest(everything.url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    inner.on('error', () => response.destroy());
    response.on('close', () => inner.destroy());
    request.pipe(inner);
  };

  function refuseTokens(): void {
    for (const token of seen) refused.add(token);
  }

  for (const [server, answer] of [
    [authorization, answerAuthorization],
    [resource, answerResource],
  ] as const) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      answer(request, response).catch((error: unknown) => {
        response.destroy(error instanceof Error ? error : new Error(String(error)));
      });
    });
  }
  return {
    url,
    issuer,
    tokenRequests,
    revoked,
    registrations,
    signIn: (authorizationUrl) => follow(authorizationUrl, publicUrl),
    forgetClient: async (clientId) => {
      // oidc-provider's types omit the adapter, which stores the registered clients.
      const { adapter } = provider.Client as unknown as {
        adapter: { destroy(id: string): Promise<void> };
      };
      await adapter.destroy(clientId);
    },
    revokeGrants: async () => {
      refuseTokens();
      await Promise.all([...refreshTokens].map((token) => token.destroy()));
    },
    refuseTokens,
    setDown: (down) => {
      isDown = down;
    },
    close: async () => {
      for (const server of [authorization, resource]) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
      await everything.close();
    },
  };
}

function authorizationServer(issuer: string, resource: string): Provider {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return new Provider(issuer, {
    scopes: SCOPES,
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        getResourceServerInfo: (_context, indicator) => {
          if (indicator !== resource) throw new Error('Another resource.');
          return { scope: SCOPES.join(' '), audience: resource, accessTokenFormat: 'opaque' };
        },
        useGrantedResource: () => true,
      },
      revocation: { enabled: true },
    },
    pkce: { required: () => true },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kty: 'RSA', alg: 'RS256', use: 'sig' }] },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    ttl: {
      AccessToken: 3600,
      Grant: 3600,
      IdToken: 3600,
      Interaction: 600,
      RefreshToken: 3600,
      Session: 3600,
    },
    cookies: { keys: ['test'] },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  });
}

async function consent(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params, prompt } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
    return;
  }
  const grant = new provider.Grant({ accountId: 'ada', clientId: String(params['client_id']) });
  grant.addOIDCScope(String(params['scope']));
  grant.addResourceScope(String(params['resource']), String(params['scope']));
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

async function follow(authorizationUrl: string, publicUrl: string): Promise<URL> {
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
    if (url.href.startsWith(publicUrl)) return url;
  }
  throw new Error('The sign-in never redirected back.');
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return `http://127.0.0.1:${address.port}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  // The chunks are buffers, because no encoding is set.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
