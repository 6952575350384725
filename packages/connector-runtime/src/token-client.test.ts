import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from 'vitest';
import type { OAuth2Scheme } from '@fairlead/connector-model/model';
import { defineOAuth2Scheme } from '@fairlead/connector-model/oauth2-scheme';
import { ManualClock } from '@fairlead/service-kit/clock';
import type { Egress } from '@fairlead/egress/egress';
import { EgressError } from '@fairlead/egress/error';
import { createTokenClient, TokenError } from './token-client.ts';
import type { OAuthClient, TokenSet } from './token-client.ts';
import { testEgress } from './testing/calls.ts';
import { startTestServer } from './testing/http-server.ts';
import type { TestResponse, ReceivedRequest, TestServer } from './testing/http-server.ts';
import { REDIRECT_URI, startStrictVendor, VENDOR_CLIENTS } from './testing/strict-vendor.ts';
import type { StrictVendor } from './testing/strict-vendor.ts';

const NOW = new Date('2026-11-21T10:00:00Z');
const egress = testEgress();
const tokens = createTokenClient({ egress, clock: new ManualClock(NOW) });
afterAll(() => egress.close());

const signal = new AbortController().signal;
const values = {};
const accountId = 'a-1';

function scheme(url: string, parts: Partial<OAuth2Scheme> = {}): OAuth2Scheme {
  return {
    ...defineOAuth2Scheme({
      grant: 'authorizationCode',
      authorizationUrl: `${url}/auth`,
      tokenUrl: `${url}/token`,
      scopes: ['openid', 'offline_access', 'crm.read'],
      authorizationParameters: { prompt: 'consent' },
    }),
    ...parts,
  };
}

async function failure(promise: Promise<unknown>): Promise<TokenError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TokenError)) throw new Error(`No TokenError: ${String(error)}`);
  return error;
}

describe('with a strict vendor', () => {
  let vendor: StrictVendor;
  beforeAll(async () => {
    vendor = await startStrictVendor();
  });
  afterAll(() => vendor.close());

  async function signIn(
    of: OAuth2Scheme,
    client: OAuthClient,
  ): Promise<{ readonly code: string; readonly codeVerifier: string }> {
    const codeVerifier = randomBytes(32).toString('base64url');
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
    const url = tokens.authorizationUrl(of, {
      client,
      values,
      redirectUri: REDIRECT_URI,
      state: 's-1',
      codeChallenge,
    });
    const redirect = await vendor.signIn(url);
    expect(redirect.searchParams.get('state')).toBe('s-1');
    return { code: redirect.searchParams.get('code') ?? '', codeVerifier };
  }

  async function grant(of: OAuth2Scheme, client: OAuthClient): Promise<TokenSet> {
    const { code, codeVerifier } = await signIn(of, client);
    return tokens.exchangeCode(of, {
      accountId,
      client,
      values,
      redirectUri: REDIRECT_URI,
      code,
      codeVerifier,
      signal,
    });
  }

  it.each([
    ['the secret in the header', VENDOR_CLIENTS.basic, 'basic'],
    ['the secret in the body', VENDOR_CLIENTS.body, 'body'],
    ['no secret', VENDOR_CLIENTS.public, 'basic'],
  ] as const)(
    'signs in with PKCE, exchanges the code and refreshes: %s',
    async (_name, client, clientAuthentication) => {
      const of = scheme(vendor.url, { clientAuthentication });
      const first = await grant(of, client);
      expect(first).toMatchObject({
        expiresAt: new Date(NOW.getTime() + 3600_000),
        scopes: ['openid', 'offline_access', 'crm.read'],
        raw: { token_type: 'Bearer' },
      });
      const second = await tokens.refresh(of, {
        accountId,
        client,
        values,
        refreshToken: first.refreshToken ?? '',
        signal,
      });
      expect(second.accessToken).not.toBe(first.accessToken);
      expect(second.refreshToken).not.toBe(first.refreshToken);
    },
  );

  it('pushes the parameters of a sign-in, and the browser carries none of them', async () => {
    const of = scheme(vendor.url, { pushedAuthorizationUrl: `${vendor.url}/request` });
    const client = VENDOR_CLIENTS.pushing;
    const codeVerifier = randomBytes(32).toString('base64url');
    const url = tokens.authorizationUrl(of, {
      client,
      values,
      redirectUri: REDIRECT_URI,
      state: 's-1',
      codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    });
    const unpushed = await vendor.signIn(url);
    expect(unpushed.searchParams.get('error_description')).toContain('Pushed Authorization Request');

    const pushed = await tokens.pushAuthorization(of, { accountId, client, values, url, signal });
    expect([...new URL(pushed).searchParams.keys()]).toEqual(['client_id', 'request_uri']);
    const redirect = await vendor.signIn(pushed);
    expect(Object.fromEntries(redirect.searchParams)).toMatchObject({ state: 's-1', iss: vendor.url });
    const code = redirect.searchParams.get('code') ?? '';
    const call = { accountId, client, values, redirectUri: REDIRECT_URI, code, codeVerifier, signal };
    expect((await tokens.exchangeCode(of, call)).refreshToken).toBeDefined();

    const stranger = { ...client, clientSecret: 'wrong-0ne' };
    const wrong = tokens.pushAuthorization(of, { accountId, client: stranger, values, url, signal });
    expect(await failure(wrong)).toMatchObject({ kind: 'refused', code: 'invalid_client' });
  });

  it('gets tokens of the client itself', async () => {
    const of = scheme(vendor.url, {
      grant: 'clientCredentials',
      authorizationUrl: null,
      scopes: ['crm.read'],
    });
    const set = await tokens.clientCredentials(of, {
      accountId,
      client: VENDOR_CLIENTS.basic,
      values,
      signal,
    });
    expect(set).toMatchObject({ expiresAt: new Date(NOW.getTime() + 600_000), scopes: ['crm.read'] });
    expect(set.refreshToken).toBeUndefined();
  });

  it('reports a used refresh token, a wrong verifier and a wrong secret as refused', async () => {
    const of = scheme(vendor.url);
    const client = VENDOR_CLIENTS.basic;
    const { refreshToken = '' } = await grant(of, client);
    await tokens.refresh(of, { accountId, client, values, refreshToken, signal });
    const used = await failure(tokens.refresh(of, { accountId, client, values, refreshToken, signal }));
    expect(used).toMatchObject({
      kind: 'refused',
      code: 'invalid_grant',
      message: 'grant request is invalid (invalid_grant)',
    });

    const { code } = await signIn(of, client);
    const codeVerifier = randomBytes(32).toString('base64url');
    const mismatch = tokens.exchangeCode(of, {
      accountId,
      client,
      values,
      redirectUri: REDIRECT_URI,
      code,
      codeVerifier,
      signal,
    });
    expect(await failure(mismatch)).toMatchObject({ kind: 'refused' });

    const stranger = { ...client, clientSecret: 'wrong' };
    const wrong = await failure(
      tokens.refresh(of, { accountId, client: stranger, values, refreshToken, signal }),
    );
    expect(wrong).toMatchObject({
      kind: 'refused',
      code: 'invalid_client',
      message: expect.stringContaining('invalid_client') as string,
    });
  });
});

describe('with non-standard vendors', () => {
  const servers: TestServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  const start = async (
    respond: (request: ReceivedRequest) => TestResponse | Promise<TestResponse>,
  ): Promise<TestServer> => {
    const server = await startTestServer(respond);
    servers.push(server);
    return server;
  };
  const client = { clientId: 'id', clientSecret: 'cl1ent-secret' };
  const refresh = (
    url: string,
    parts: Partial<OAuth2Scheme> = {},
    at: AbortSignal = signal,
  ): Promise<TokenSet> =>
    tokens.refresh(scheme(url, parts), {
      accountId,
      client,
      values,
      refreshToken: 'r3fresh-token',
      signal: at,
    });

  it.each([495, 499, 995, 999, 1990])(
    'masks a secret after %i characters of a refusal as anywhere',
    async (at) => {
      const { url } = await start(() => ({
        status: 400,
        body: { error: 'invalid_grant', error_description: `${'x'.repeat(at)}r3fresh-token, cl1ent-secret` },
      }));
      const refused = await failure(refresh(url));
      expect(refused).toMatchObject({ message: `${'x'.repeat(at)}***, *** (invalid_grant)` });
    },
  );

  it.each([
    ['400 with an OAuth error', { status: 400, body: { error: 'invalid_grant' } }, 'refused'],
    ['401 without one', { status: 401, body: { message: 'Nope.' } }, 'refused'],
    ['200 with an OAuth error', { body: { ok: false, error: 'access_denied' } }, 'refused'],
    ['403 with an OAuth error', { status: 403, body: { error: 'unauthorized_client' } }, 'refused'],
    [
      '403 of a firewall',
      { status: 403, headers: { 'content-type': 'text/html' }, body: '<p>' },
      'unavailable',
    ],
    ['404', { status: 404, body: 'gone' }, 'unavailable'],
    ['429', { status: 429, body: { error: 'rate_limited' } }, 'unavailable'],
    ['503', { status: 503, body: { error: 'invalid_grant' } }, 'unavailable'],
    ['an error that may pass', { status: 400, body: { error: 'temporarily_unavailable' } }, 'unavailable'],
    ['200 with a page', { headers: { 'content-type': 'text/html' }, body: '<p>' }, 'unavailable'],
    ['a cut connection', { destroy: true as const }, 'unavailable'],
  ])('distinguishes a final refusal from a temporary failure: %s', async (_name, response, kind) => {
    const server = await start(() => response);
    expect(await failure(refresh(server.url))).toMatchObject({ kind });
  });

  it('is unavailable if the vendor does not respond, and when the caller cancels', async () => {
    const gone = await startTestServer(() => ({}));
    await gone.close();
    expect(await failure(refresh(gone.url))).toMatchObject({ kind: 'unavailable' });

    const arrived = Promise.withResolvers<void>();
    const silent = await start(() => {
      arrived.resolve();
      return new Promise<TestResponse>(() => undefined);
    });
    const controller = new AbortController();
    const pending = failure(refresh(silent.url, {}, controller.signal));
    await arrived.promise;
    controller.abort();
    expect(await pending).toMatchObject({ kind: 'unavailable' });
  });

  it('keeps the secrets of the request out of the message', async () => {
    const server = await start(({ body }) => ({
      status: 400,
      body: {
        error: 'invalid_grant',
        error_description: `Bad request: ${decodeURIComponent(body)} cl1ent-secret`,
      },
    }));
    const { message } = await failure(refresh(server.url));
    expect(message).toContain('refresh_token=***');
    expect(message).not.toMatch(/r3fresh|cl1ent-secret/);
  });

  it('reads form-encoded responses, numbers as text and comma-separated scopes', async () => {
    const server = await start(() => ({
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: 'access_token=a&expires_in=60&scope=x%2Cy&token_type=bearer',
    }));
    expect(await refresh(server.url)).toMatchObject({
      accessToken: 'a',
      expiresAt: new Date(NOW.getTime() + 60_000),
      scopes: ['x', 'y'],
    });
  });

  it('has no expiry if the vendor states none, and the requested scopes if it lists none', async () => {
    const server = await start(() => ({ body: { access_token: 'a', expires_in: null } }));
    const set = await refresh(server.url);
    expect(set.expiresAt).toBeUndefined();
    expect(set.scopes).toEqual(['openid', 'offline_access', 'crm.read']);
    expect(set.statesScopes).toBeUndefined();
  });

  it('adds the parameters of the manifest, and never lets them replace the grant’s own', async () => {
    const server = await start(() => ({ body: { access_token: 'a' } }));
    await tokens.clientCredentials(
      scheme(server.url, {
        tokenUrl: `${server.url}/{{field.tenant}}/token`,
        clientAuthentication: 'body',
        scopes: ['a', 'b'],
        scopeSeparator: ',',
        tokenParameters: {
          audience: '{{field.audience}}',
          grant_type: 'password',
          missing: '{{field.missing}}',
        },
      }),
      { accountId, client, values: { field: { tenant: 't/1', audience: 'api' } }, signal },
    );
    const [request] = server.requests;
    expect(request?.path).toBe('/t%2F1/token');
    expect(request?.headers.authorization).toBeUndefined();
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      audience: 'api',
      grant_type: 'client_credentials',
      scope: 'a,b',
      client_id: 'id',
      client_secret: 'cl1ent-secret',
    });
  });
});

test('uses the sockets of its account, whoever else uses the vendor', async () => {
  const destinations: unknown[] = [];
  const recording: Egress = {
    ...egress,
    request: ({ destination }) => {
      destinations.push(destination);
      return Promise.reject(new EgressError('connection_refused', 'No connection.'));
    },
  };
  const recorded = createTokenClient({ egress: recording, clock: new ManualClock(NOW) });
  const of = scheme('https://vendor.example');
  const call = { client: VENDOR_CLIENTS.basic, values, signal };
  const code = { redirectUri: REDIRECT_URI, code: 'c', codeVerifier: 'v' };
  await failure(recorded.exchangeCode(of, { ...call, ...code, accountId: 'a-1' }));
  await failure(recorded.refresh(of, { ...call, refreshToken: 'r', accountId: 'a-2' }));
  await failure(recorded.clientCredentials(of, { ...call, accountId: 'a-3' }));
  expect(destinations).toEqual(['a-1', 'a-2', 'a-3']);
});

describe('authorizationUrl', () => {
  const o = {
    client: VENDOR_CLIENTS.body,
    values,
    redirectUri: REDIRECT_URI,
    state: 's',
    codeChallenge: 'c',
  };

  it('carries the request, the parameters of the manifest, and PKCE only if the vendor supports it', () => {
    const url = new URL(tokens.authorizationUrl(scheme('https://vendor.example', { usesPkce: false }), o));
    expect(Object.fromEntries(url.searchParams)).toEqual({
      prompt: 'consent',
      response_type: 'code',
      client_id: 'client-body',
      redirect_uri: REDIRECT_URI,
      state: 's',
      scope: 'openid offline_access crm.read',
    });
  });

  it('expects the issuer of the tenant, which Microsoft has for each', () => {
    const of = scheme('https://vendor.example', {
      issuer: 'https://login.vendor.example/{{field.tenant}}/v2.0',
      requiresIssuer: true,
    });
    expect(tokens.expectedIssuer(of, { field: { tenant: 't-1' } })).toEqual({
      url: 'https://login.vendor.example/t-1/v2.0',
      isRequired: true,
    });
    expect(() => tokens.expectedIssuer(of, {})).toThrow(TokenError);
    expect(tokens.expectedIssuer(scheme('https://vendor.example'), {})).toBeNull();
  });

  it('throws TokenError if a value of the URL is missing', () => {
    const of = scheme('https://{{field.tenant}}.vendor.example');
    expect(() => tokens.authorizationUrl(of, o)).toThrow(TokenError);
  });
});
