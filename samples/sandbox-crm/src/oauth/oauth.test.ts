import * as oauth from 'openid-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FormBrowser, signInAndAllow } from '../testing/form-browser.ts';
import {
  connectorClient,
  providerClient,
  REDIRECT_URI,
  startTestCrm,
  testConfig,
} from '../testing/sandbox.ts';
import type { TestCrm } from '../testing/sandbox.ts';

const anyText: unknown = expect.any(String);

let crm: TestCrm;

beforeEach(async () => {
  crm = await startTestCrm();
});

afterEach(() => crm.close());

async function clientOf(
  client: { clientId: string; clientSecret: string } = connectorClient,
  authentication: oauth.ClientAuth = oauth.ClientSecretBasic(client.clientSecret),
): Promise<oauth.Configuration> {
  return oauth.discovery(new URL(`${crm.url}/oauth`), client.clientId, undefined, authentication, {
    algorithm: 'oauth2',
    execute: [oauth.allowInsecureRequests],
  });
}

async function authorizationRequest(
  client: oauth.Configuration,
  parameters: Record<string, string> = {},
): Promise<{ url: URL; verifier: string }> {
  const verifier = oauth.randomPKCECodeVerifier();
  const url = oauth.buildAuthorizationUrl(client, {
    redirect_uri: REDIRECT_URI,
    state: 'st',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  });
  return { url, verifier };
}

type Tokens = Awaited<ReturnType<typeof oauth.authorizationCodeGrant>>;

async function signIn(
  client: oauth.Configuration,
  parameters: Record<string, string> = { scope: 'crm.read crm.write offline_access' },
): Promise<Tokens> {
  const { url, verifier } = await authorizationRequest(client, parameters);
  const callback = await signInAndAllow(url, testConfig.user);
  return oauth.authorizationCodeGrant(client, callback, { pkceCodeVerifier: verifier, expectedState: 'st' });
}

function refreshTokenOf(tokens: Tokens): string {
  if (tokens.refresh_token === undefined) throw new Error('no refresh token was issued');
  return tokens.refresh_token;
}

async function apiStatus(token: string, method = 'GET', body?: unknown): Promise<number> {
  const answer = await crm.api(method, '/contacts', { headers: { authorization: `Bearer ${token}` }, body });
  return answer.status;
}

const invalidGrant = { error: 'invalid_grant', status: 400 };

describe('authorization code', () => {
  test('a plain OAuth request for offline_access ends with access and refresh tokens that work', async () => {
    const tokens = await signIn(await clientOf());
    expect(tokens).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      refresh_token: anyText,
    });
    expect(tokens.scope?.split(' ').toSorted()).toEqual(['crm.read', 'crm.write', 'offline_access']);
    const whoami = await crm.api('GET', '/whoami', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(whoami.body).toMatchObject({
      user: 'usr_1',
      email: testConfig.user.email,
      authentication: 'oauth',
      clientId: 'connector',
    });
  });

  test('without scopes the record scopes are granted, and no refresh token', async () => {
    const tokens = await signIn(await clientOf(), {});
    expect(tokens.scope).toBe('crm.read crm.write');
    expect(tokens.refresh_token).toBeUndefined();
  });

  test('a client that requests openid gets an ID token, and unknown scopes are ignored', async () => {
    const tokens = await signIn(await clientOf(), { scope: 'openid crm.read crm.everything' });
    expect(tokens.scope).toBe('openid crm.read');
    expect(tokens.claims()).toMatchObject({ sub: 'usr_1', aud: 'connector' });
  });

  test('a token for reading cannot write', async () => {
    const { access_token: token } = await signIn(await clientOf(), { scope: 'crm.read' });
    expect(await apiStatus(token)).toBe(200);
    expect(await apiStatus(token, 'POST', { name: 'x' })).toBe(403);
  });

  test('a request without PKCE is refused', async () => {
    const client = await clientOf();
    const url = oauth.buildAuthorizationUrl(client, { redirect_uri: REDIRECT_URI, scope: 'crm.read' });
    const { url: callback } = await new FormBrowser().open(url);
    expect(callback.searchParams.get('error')).toBe('invalid_request');
  });

  test('a redirect address that is not registered is a page, never a redirect', async () => {
    const { url } = await authorizationRequest(await clientOf(), {
      redirect_uri: 'http://127.0.0.1:9/other',
    });
    const shown = await new FormBrowser().open(url);
    expect(shown.status).toBe(400);
    expect(shown.html).toContain('This sign-in cannot continue');
  });

  test('a code works once, two exchanges at a time included', async () => {
    const client = await clientOf();
    const { url, verifier } = await authorizationRequest(client, { scope: 'crm.read' });
    const callback = await signInAndAllow(url, testConfig.user);
    const checks = { pkceCodeVerifier: verifier, expectedState: 'st' };
    const results = await Promise.allSettled([
      oauth.authorizationCodeGrant(client, callback, checks),
      oauth.authorizationCodeGrant(client, callback, checks),
    ]);
    expect(results.map((result) => result.status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('sign-in pages', () => {
  test('a wrong password gets a friendly page that keeps the e-mail and still leads on', async () => {
    const { url } = await authorizationRequest(await clientOf());
    const browser = new FormBrowser();
    await browser.open(url);
    const again = await browser.submit('Sign in', { email: testConfig.user.email, password: 'wrong' });
    expect(again.status).toBe(401);
    expect(again.html).toContain('do not match');
    expect(again.html).toContain(`value="${testConfig.user.email}"`);
    expect(again.html).not.toContain('wrong');
    const consent = await browser.submit('Sign in', testConfig.user);
    expect(consent.html).toContain('Allow access?');
  });

  test('they need no script, escape what they show, and let forms lead back to the application only', async () => {
    const { url } = await authorizationRequest(await clientOf());
    const browser = new FormBrowser();
    for (const shown of [await browser.open(url), await browser.submit('Sign in', testConfig.user)]) {
      expect(shown.html).not.toMatch(/<script|\son\w+=|javascript:/);
      expect(shown.html).toContain('The &lt;Connector&gt;');
      expect(shown.headers.get('content-security-policy')).toMatch(
        /default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' http:\/\/127\.0\.0\.1:9;/,
      );
    }
  });

  test('every input has a label', async () => {
    const { url } = await authorizationRequest(await clientOf());
    const { html } = await new FormBrowser().open(url);
    const ids = [...html.matchAll(/<input id="([^"]+)"/g)].map((match) => match[1]);
    expect(ids).toEqual(['email', 'password']);
    for (const id of ids) expect(html).toContain(`<label for="${id}">`);
  });

  test('cancelling or denying sends access_denied back, and grants nothing', async () => {
    const { url } = await authorizationRequest(await clientOf());
    const cancelling = new FormBrowser();
    await cancelling.open(url);
    const denying = new FormBrowser();
    await denying.open(url);
    await denying.submit('Sign in', testConfig.user);
    for (const shown of [await cancelling.submit('Cancel'), await denying.submit('Deny')]) {
      expect(shown.url.href).toMatch(/^http:\/\/127\.0\.0\.1:9\/callback\?/);
      expect(shown.url.searchParams.get('error')).toBe('access_denied');
      expect(shown.url.searchParams.get('state')).toBe('st');
    }
    expect((await crm.admin('/state')).body).toMatchObject({ grants: 0 });
  });

  test('an unknown or expired sign-in gets an explanation', async () => {
    const shown = await new FormBrowser().open(`${crm.url}/interaction/unknown`);
    expect(shown.status).toBe(400);
    expect(shown.html).toContain('This sign-in has expired');
  });

  test('consent cannot be posted past the password', async () => {
    const { url } = await authorizationRequest(await clientOf());
    const browser = new FormBrowser();
    const page = await browser.open(url);
    const allowed = await browser.postTo(`${page.url.pathname}/allow`);
    expect(allowed.html).toContain('name="password"');
    expect((await crm.admin('/state')).body).toMatchObject({ grants: 0 });
  });

  test('a signed-in person is only asked for consent', async () => {
    const client = await clientOf();
    const browser = new FormBrowser();
    const first = await authorizationRequest(client, { scope: 'crm.read offline_access' });
    await signInAndAllow(first.url, testConfig.user, browser);
    const second = await authorizationRequest(client, { scope: 'crm.read offline_access' });
    expect((await browser.open(second.url)).html).toContain('Allow access?');
  });
});

describe('refresh', () => {
  test('every refresh gives new tokens, and the old access token keeps working', async () => {
    const client = await clientOf();
    const first = await signIn(client);
    const second = await oauth.refreshTokenGrant(client, refreshTokenOf(first));
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await apiStatus(first.access_token)).toBe(200);
    expect(await apiStatus(second.access_token)).toBe(200);
    const third = await oauth.refreshTokenGrant(client, refreshTokenOf(second));
    expect(await apiStatus(third.access_token)).toBe(200);
  });

  test('a client that races itself within the grace gets tokens on both calls', async () => {
    const client = await clientOf();
    const refreshToken = refreshTokenOf(await signIn(client));
    const raced = await Promise.all([
      oauth.refreshTokenGrant(client, refreshToken),
      oauth.refreshTokenGrant(client, refreshToken),
    ]);
    const late = await oauth.refreshTokenGrant(client, refreshToken);
    const tokens = [...raced, late];
    expect(new Set(tokens.map((one) => one.refresh_token)).size).toBe(3);
    for (const one of tokens) expect(await apiStatus(one.access_token)).toBe(200);
  });

  test('after the grace, a second use revokes the whole grant', async () => {
    await crm.close();
    crm = await startTestCrm({ refreshReuseGraceSeconds: 0 });
    const client = await clientOf();
    const refreshToken = refreshTokenOf(await signIn(client));
    const fresh = await oauth.refreshTokenGrant(client, refreshToken);
    await expect(oauth.refreshTokenGrant(client, refreshToken)).rejects.toMatchObject(invalidGrant);
    await expect(oauth.refreshTokenGrant(client, refreshTokenOf(fresh))).rejects.toMatchObject(invalidGrant);
    expect(await apiStatus(fresh.access_token)).toBe(401);
  });

  test("another client's refresh token is refused", async () => {
    const tokens = await signIn(await clientOf());
    const other = await clientOf(providerClient);
    await expect(oauth.refreshTokenGrant(other, refreshTokenOf(tokens))).rejects.toMatchObject(invalidGrant);
  });
});

describe('client credentials', () => {
  test('a client gets a token for itself, by Basic and by form, with the record scopes by default', async () => {
    for (const authentication of [
      oauth.ClientSecretBasic(connectorClient.clientSecret),
      oauth.ClientSecretPost(connectorClient.clientSecret),
    ]) {
      const tokens = await oauth.clientCredentialsGrant(await clientOf(connectorClient, authentication));
      expect(tokens).toMatchObject({ scope: 'crm.read crm.write', expires_in: 3600 });
      const whoami = await crm.api('GET', '/whoami', {
        headers: { authorization: `Bearer ${tokens.access_token}` },
      });
      expect(whoami.body).toMatchObject({
        user: null,
        email: null,
        authentication: 'clientCredentials',
        clientId: 'connector',
      });
    }
  });

  test('a narrower scope is kept, an unknown one refused', async () => {
    const client = await clientOf(providerClient);
    const tokens = await oauth.clientCredentialsGrant(client, { scope: 'crm.read' });
    expect(await apiStatus(tokens.access_token, 'POST', { name: 'x' })).toBe(403);
    for (const scope of ['crm.admin', 'crm.read offline_access']) {
      await expect(oauth.clientCredentialsGrant(client, { scope })).rejects.toMatchObject({
        error: 'invalid_scope',
      });
    }
  });

  test('a wrong secret is invalid_client, whichever way it came', async () => {
    for (const authentication of [oauth.ClientSecretBasic('wrong'), oauth.ClientSecretPost('wrong')]) {
      const client = await clientOf(connectorClient, authentication);
      await expect(oauth.clientCredentialsGrant(client)).rejects.toMatchObject({ status: 401 });
    }
  });
});

describe('revocation', () => {
  test('revoking a refresh token ends its grant, and no other grant of the same person and client', async () => {
    const client = await clientOf();
    const [ended, kept] = [await signIn(client), await signIn(client)];
    await oauth.tokenRevocation(client, refreshTokenOf(ended));
    expect(await apiStatus(ended.access_token)).toBe(401);
    await expect(oauth.refreshTokenGrant(client, refreshTokenOf(ended))).rejects.toMatchObject(invalidGrant);
    expect(await apiStatus(kept.access_token)).toBe(200);
    await oauth.refreshTokenGrant(client, refreshTokenOf(kept));
  });

  test("a client cannot revoke another's token", async () => {
    const tokens = await signIn(await clientOf());
    await oauth.tokenRevocation(await clientOf(providerClient), tokens.access_token);
    expect(await apiStatus(tokens.access_token)).toBe(200);
  });
});

describe('administration', () => {
  test('revoked grants: the access token is refused and the refresh token is invalid_grant', async () => {
    const client = await clientOf();
    const tokens = await signIn(client);
    expect((await crm.admin('/revoke-grants', { email: 'someone@else.example' })).body).toEqual({
      revoked: 0,
    });
    expect(await apiStatus(tokens.access_token)).toBe(200);
    expect((await crm.admin('/revoke-grants', { email: testConfig.user.email })).body).toEqual({
      revoked: 1,
    });
    expect(await apiStatus(tokens.access_token)).toBe(401);
    await expect(oauth.refreshTokenGrant(client, refreshTokenOf(tokens))).rejects.toMatchObject(invalidGrant);
  });

  test('expired tokens: 401 for both kinds, and a refresh gets on', async () => {
    const client = await clientOf();
    const tokens = await signIn(client);
    const own = await oauth.clientCredentialsGrant(client);
    expect((await crm.admin('/expire-tokens', {})).body).toEqual({ expired: 2 });
    expect(await apiStatus(tokens.access_token)).toBe(401);
    expect(await apiStatus(own.access_token)).toBe(401);
    const fresh = await oauth.refreshTokenGrant(client, refreshTokenOf(tokens));
    expect(await apiStatus(fresh.access_token)).toBe(200);
  });

  test('token calls are counted by grant type, refused ones too', async () => {
    const client = await clientOf();
    const tokens = await signIn(client);
    await oauth.refreshTokenGrant(client, refreshTokenOf(tokens));
    await expect(oauth.refreshTokenGrant(client, 'unknown')).rejects.toMatchObject(invalidGrant);
    expect((await crm.admin('/state')).body).toMatchObject({
      counters: { tokenCalls: { authorization_code: 1, refresh_token: 2, client_credentials: 0 } },
      grants: 1,
    });
  });
});
