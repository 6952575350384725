import { startMcpOAuthServer } from '@fairlead/connector-runtime/testing/mcp-oauth-server';
import type { McpOAuthServer } from '@fairlead/connector-runtime/testing/mcp-oauth-server';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { asOther, expectError, get, post, stack } from './support/api.ts';
import { expectStatus } from './support/accounts.ts';
import { exchange } from './support/recorder.ts';
import { continueToVendor, startCrmSignIn, Visitor } from './support/sign-in.ts';

// Attacks tested in sign-in.test.ts, sign-in-fields.test.ts and mcp-sign-in.test.ts are not repeated here: a forwarded vendor address,
// forms of other sites, malformed fields, and addresses inside the network.

const start = '/v1/connections/get-sign-in-url';
const EVIL = 'https://evil.example';

let server: McpOAuthServer;
beforeAll(async () => {
  server = await startMcpOAuthServer(stack.baseUrl);
});
afterAll(() => server.close());

const poll = (state: string, options = {}) => get(`/v1/connections/access-token/${state}`, options);
const isCallback = (url: URL): boolean =>
  url.origin === stack.baseUrl && /^\/connect\/callback(?:\/|$)/.test(url.pathname);

/** Signs in at the vendor and consents, but does not open the callback; returns its address. */
async function callbackOf(visitor: Visitor, signInUrl: string): Promise<URL> {
  const signIn = await continueToVendor(visitor, signInUrl);
  const { user, password } = stack.sandboxCrm;
  const consent = await visitor.submit(signIn, { email: user, text: user, password });
  const { url } = await visitor.submit(consent, {}, /allow|continue|authori[sz]e/i, isCallback);
  expect(isCallback(url), url.href).toBe(true);
  return url;
}

async function expectPending(state: string, options = {}): Promise<void> {
  const answer = await poll(state, options);
  expect([answer.status, answer.text]).toEqual([200, 'null']);
}

test('login CSRF: a callback of the attacker’s account does nothing in the browser of somebody who signs in', async () => {
  const attackers = await startCrmSignIn(asOther.apiKey);
  const attackersCallback = await callbackOf(new Visitor(), attackers.signInUrl);
  const own = await startCrmSignIn();
  const victim = new Visitor();
  await continueToVendor(victim, own.signInUrl);
  expect((await victim.open(attackersCallback.href)).status).toBe(400);
  await expectPending(own.state);
  await expectPending(attackers.state, asOther);
});

test('code injection: a code of another sign-in connects nobody', async () => {
  const stolen = await callbackOf(new Visitor(), (await startCrmSignIn()).signInUrl);
  const own = await startCrmSignIn(asOther.apiKey);
  const attacker = new Visitor();
  const callback = await callbackOf(attacker, own.signInUrl);
  callback.searchParams.set('code', stolen.searchParams.get('code') ?? '');
  expect((await attacker.open(callback.href)).status).toBeGreaterThanOrEqual(400);
  expectError(await poll(own.state, asOther), 400, 'OAUTH_SIGN_IN_FAILED');
  const body = { applicationSlug: 'sandbox-crm', connectionName: 'x', authenticationId: 0 };
  const created = await post('/v1/connections', { ...body, oauthState: own.state }, asOther);
  expectError(created, 400, 'OAUTH_STATE_EXPIRED');
});

test('fixation: nobody chooses the state of a sign-in', async () => {
  const chosen = randomUUID();
  const { state, signInUrl } = await startCrmSignIn(stack.account.apiKey, {
    state: chosen,
    oauthState: chosen,
  });
  expect(state).not.toBe(chosen);
  expect(signInUrl).not.toContain(chosen);
  expectError(await poll(chosen), 400, 'OAUTH_STATE_EXPIRED');
});

test('replay: a callback works once', async () => {
  const { state, signInUrl } = await startCrmSignIn();
  const visitor = new Visitor();
  const callback = await callbackOf(visitor, signInUrl);
  expect((await visitor.open(callback.href)).status).toBe(200);
  expect((await visitor.open(callback.href)).status).toBe(400);
  expect((await poll(state)).body).toMatchObject({ status: 'completed' });
});

test.each([
  ['another issuer', (query: URLSearchParams): void => query.set('iss', EVIL)],
  ['no issuer', (query: URLSearchParams): void => query.delete('iss')],
])('mix-up: a response that names %s is not redeemed', async (_what, change) => {
  const fields = { serverUrl: server.url };
  const mcp = { applicationSlug: 'mcp', authenticationId: 2, fields };
  const { state, signInUrl } = await startCrmSignIn(stack.account.apiKey, mcp);
  const visitor = new Visitor();
  const asked = await visitor.open(signInUrl);
  const { url } = await visitor.submit(asked, {}, /continue/i, isCallback);
  change(url.searchParams);
  const calls = server.tokenRequests.length;
  expect((await visitor.open(url.href)).status).toBeGreaterThanOrEqual(400);
  expect(server.tokenRequests).toHaveLength(calls);
  expect((await poll(state)).body?.status).not.toBe('completed');
});

describe('open redirect', () => {
  test.each([
    `/connect/start/%2F%2Fevil.example`,
    `/connect/start//evil.example`,
    `/connect/callback?redirect_uri=${EVIL}&next=${EVIL}&state=${randomUUID()}&code=x`,
    `/connect/callback?state=${encodeURIComponent(EVIL)}&code=x&iss=${EVIL}`,
    `/connect/callback?error=x&error_uri=${EVIL}&state=${randomUUID()}`,
    `//evil.example/connect/callback`,
  ])('%s leads nowhere', async (path) => {
    const reply = await exchange(new URL(stack.baseUrl + path), { method: 'GET', headers: new Headers() });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.headers.get('location')).toBeNull();
    expect(reply.headers.get('refresh')).toBeNull();
    expect(reply.text).not.toMatch(/http-equiv="refresh"|href="(?:https?:)?\/\/evil/i);
  });

  test('what the caller sends does not change where the vendor sends the browser', async () => {
    const { signInUrl } = await startCrmSignIn(stack.account.apiKey, {
      redirectUri: EVIL,
      redirect_uri: EVIL,
      redirectUrl: EVIL,
      fields: { loginHint: `a@b.example&redirect_uri=${EVIL}&client_id=evil#` },
    });
    const visitor = new Visitor();
    const asked = await visitor.open(signInUrl);
    const isVendor = ({ origin }: URL): boolean => origin === new URL(stack.sandboxCrm.url).origin;
    const { url } = await visitor.submit(asked, {}, /continue/i, isVendor);
    expect(url.searchParams.getAll('redirect_uri')).toEqual([`${stack.baseUrl}/connect/callback`]);
    expect(url.searchParams.getAll('client_id')).not.toContain('evil');
    expect(url.hash).toBe('');
  });
});

test('framing, reflection of vendor text: every page forbids frames and scripts, and shows the vendor’s text as text', async () => {
  const markup = '<script>alert(1)</script><img src=x onerror=alert(2)>';
  const { state, signInUrl } = await startCrmSignIn();
  const page = new Visitor();
  await continueToVendor(page, signInUrl);
  const query = new URLSearchParams({ state, error: 'access_denied', error_description: markup });
  const strange = new URLSearchParams({ state: markup, error: markup, error_description: markup });
  for (const address of [
    signInUrl,
    `${stack.baseUrl}/connect/start/${randomUUID()}`,
    `${stack.baseUrl}/connect/start/${encodeURIComponent(markup)}`,
    `${stack.baseUrl}/connect/callback`,
    `${stack.baseUrl}/connect/callback?${query.toString()}`,
    `${stack.baseUrl}/connect/callback?${strange.toString()}`,
  ]) {
    const reply = await exchange(new URL(address), { method: 'GET', headers: new Headers() });
    const policy = reply.headers.get('content-security-policy') ?? '';
    expect(policy, address).toContain("frame-ancestors 'none'");
    expect(policy, address).toContain("default-src 'none'");
    expect(policy, address).not.toContain('unsafe-inline');
    expect(reply.headers.get('x-content-type-options'), address).toBe('nosniff');
    expect(reply.text, address).not.toMatch(/<script|<img|onerror=alert\(2\)>/);
  }
  const refused = await page.open(
    `${stack.baseUrl}/connect/callback?${query.toString()}&iss=${encodeURIComponent(`${stack.sandboxCrm.url}/oauth`)}`,
  );
  expect(refused.html).not.toMatch(/<script|<img/);
  const answer = await poll(state);
  expectError(answer, 400, 'OAUTH_SIGN_IN_FAILED');
  expect(answer.headers.get('content-type')).toContain('application/json');
});

describe('SSRF and javascript: by what an MCP server says of its authorization server', () => {
  const NOWHERE = 'http://169.254.169.254/latest/meta-data';

  /** An MCP server that requires a sign-in at a server with this metadata; it records the requests that it gets. */
  async function hostileServer(
    metadata: (origin: string) => Record<string, unknown>,
    issuer?: string,
  ): Promise<{ url: string; requests: string[] }> {
    const requests: string[] = [];
    const listener = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      const json = (body: unknown): void => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      if (request.url?.startsWith('/.well-known/oauth-protected-resource') === true)
        json({ resource: `${origin}/mcp`, authorization_servers: [issuer ?? origin] });
      else if (request.url?.startsWith('/.well-known/') === true)
        json({ ...honest(origin), ...metadata(origin) });
      else if (request.url === '/register')
        json({ client_id: 'registered', token_endpoint_auth_method: 'none' });
      else
        response
          .writeHead(401, {
            'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
          })
          .end();
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    onTestFinished(() => {
      listener.closeAllConnections();
      listener.close();
    });
    // A server that listens on TCP has an address of this kind.
    const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    return { url: `${origin}/mcp`, requests };
  }

  const honest = (origin: string): Record<string, unknown> => ({
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  });
  const startSignIn = (serverUrl: string) =>
    post(start, { applicationSlug: 'mcp', authenticationId: 2, fields: { serverUrl } });

  test('the honest form of that server is signed in to', async () => {
    const { url, requests } = await hostileServer(() => ({}));
    expectStatus(await startSignIn(url), 200);
    expect(requests).toContain('POST /register');
  });

  test.each([
    ['authorization_endpoint', 'javascript:alert(document.domain)'],
    ['authorization_endpoint', 'data:text/html,<script>alert(1)</script>'],
    ['authorization_endpoint', 'file:///etc/passwd'],
    ['token_endpoint', 'file:///etc/passwd'],
    ['token_endpoint', 'gopher://127.0.0.1:6379/'],
    ['token_endpoint', 'http://169.254.169.254/token'],
    ['registration_endpoint', NOWHERE],
    ['registration_endpoint', 'http://10.0.0.1/register'],
    ['issuer', EVIL],
    ['code_challenge_methods_supported', ['plain']],
  ])('its metadata with %s %j is refused', async (member, value) => {
    const { url } = await hostileServer(() => ({ [member]: value }));
    expectError(await startSignIn(url), 400, 'VALIDATION_ERROR', ['fields.serverUrl']);
  });

  test.each([NOWHERE, 'http://10.0.0.1', 'file:///etc/passwd', 'javascript:alert(1)'])(
    'the authorization server %s is refused',
    async (issuer) => {
      const { url } = await hostileServer(() => ({}), issuer);
      expectError(await startSignIn(url), 400, 'VALIDATION_ERROR', ['fields.serverUrl']);
    },
  );
});

test.each([
  'javascript:alert(1)',
  'file:///etc/passwd',
  'https://a.b@evil.example',
  `${EVIL}#`,
  `${EVIL}/?x=`,
])('SSRF and javascript: by BaseUrl: a provider with %j is refused', async (BaseUrl) => {
  const body = { name: randomUUID(), applicationSlug: 'mcp', authenticationId: 2 };
  const answer = await post('/v1/auth-providers', { ...body, values: { Key1: 'x', BaseUrl } });
  expectError(answer, 400, 'VALIDATION_ERROR', ['values.BaseUrl']);
});

test('SSRF by BaseUrl: a provider’s address is used for the servers that name it only', async () => {
  const body = { name: randomUUID(), applicationSlug: 'mcp', authenticationId: 2 };
  const values = { Key1: 'x', BaseUrl: 'http://169.254.169.254' };
  const { id } = expectStatus(await post('/v1/auth-providers', { ...body, values }), 201).body;
  const fields = { serverUrl: server.url };
  const answer = await post(start, {
    applicationSlug: 'mcp',
    authenticationId: 2,
    authProviderId: id,
    fields,
  });
  expectError(answer, 400, 'INVALID_AUTH_PROVIDER');
});
