import { createHmac, createPublicKey } from 'node:crypto';
import { ManualClock } from '@fairlead/service-kit/clock';
import { guid } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import { platformContext } from '@fairlead/service-kit/testing/account-data';
import { SignJWT, UnsecuredJWT, decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair } from 'jose';
import type { JWK, JWTPayload } from 'jose';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  REDIRECT_URI,
  authorize,
  startAuthorization,
  discover,
  register,
  signInAndAllow,
} from '../testing/oauth-client.ts';
import { newClient as newConfidentialClient, startOAuthStack } from '../testing/oauth-stack.ts';
import type { OAuthStack, TestReplica } from '../testing/oauth-stack.ts';
import { createAccount } from '../use-cases/create-account.ts';

const clock = new ManualClock(new Date());
let stack: OAuthStack;
let one: TestReplica;
let two: TestReplica;

beforeAll(async () => {
  stack = await startOAuthStack(
    { mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') },
    { count: 2, clock },
  );
  const [first, second] = stack.replicas;
  if (second === undefined) throw new Error('There is one replica only.');
  [one, two] = [first, second];
});
afterAll(() => stack.close());

const GRACE_MS = 30_000;

/** A registered client, once configured for each of the two replicas. */
async function newClient(): Promise<{ config: client.Configuration; elsewhere: client.Configuration }> {
  const config = await register(stack);
  const { client_id } = config.clientMetadata();
  return { config, elsewhere: await discover(stack, client_id, { through: two.url }) };
}

const outcomesOf = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.map((result) =>
    result.status === 'fulfilled' ? 'ok' : (result.reason as client.ResponseBodyError).error,
  );

describe('an authorization code', () => {
  test('that two replicas redeem at once is redeemed once', async () => {
    const { config, elsewhere } = await newClient();
    for (let round = 0; round < 5; round += 1) {
      const { browser, verifier, state } = await startAuthorization(config);
      const answer = await signInAndAllow(browser, stack.owner);
      const checks = { pkceCodeVerifier: verifier, expectedState: state };
      const results = await Promise.allSettled(
        [config, elsewhere, config, elsewhere].map((by) => client.authorizationCodeGrant(by, answer, checks)),
      );
      expect(outcomesOf(results).sort()).toEqual(['invalid_grant', 'invalid_grant', 'invalid_grant', 'ok']);
    }
  });

  test('that is redeemed again later ends everything that it gave', async () => {
    const { config, elsewhere } = await newClient();
    const { browser, verifier, state } = await startAuthorization(config);
    const answer = await signInAndAllow(browser, stack.owner);
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    const tokens = await client.authorizationCodeGrant(config, answer, checks);
    expect(await two.ownerOf(tokens.access_token)).toBeDefined();
    await expect(client.authorizationCodeGrant(elsewhere, answer, checks)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect(await one.ownerOf(tokens.access_token)).toBeUndefined();
    expect(await two.ownerOf(tokens.access_token)).toBeUndefined();
  });

  test('is not redeemed without its own verifier, and not by another client', async () => {
    const { config } = await newClient();
    const { browser, state } = await startAuthorization(config);
    const answer = await signInAndAllow(browser, stack.owner);
    const wrong = { pkceCodeVerifier: client.randomPKCECodeVerifier(), expectedState: state };
    await expect(client.authorizationCodeGrant(config, answer, wrong)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    const other = await register(stack);
    await expect(client.authorizationCodeGrant(other, answer, wrong)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});

describe('a refresh token', () => {
  test('that is used twice at once, at two replicas, gives usable tokens twice', async () => {
    const { config, elsewhere } = await newClient();
    const { refresh_token: token = '' } = await authorize(config, stack.owner);
    const [a, b] = await Promise.all([
      client.refreshTokenGrant(config, token),
      client.refreshTokenGrant(elsewhere, token),
    ]);
    expect(a.refresh_token).not.toBe(b.refresh_token);
    for (const { access_token, refresh_token = '' } of [a, b]) {
      expect(await one.ownerOf(access_token)).toBeDefined();
      expect((await client.refreshTokenGrant(elsewhere, refresh_token)).access_token).toBeDefined();
    }
  });

  test('that is used again within the grace still works; after it, its whole family ends', async () => {
    const { config, elsewhere } = await newClient();
    const first = await authorize(config, stack.owner);
    const second = await client.refreshTokenGrant(config, first.refresh_token ?? '');
    clock.advance(GRACE_MS - 1);
    const racing = await client.refreshTokenGrant(elsewhere, first.refresh_token ?? '');
    expect(await two.ownerOf(racing.access_token)).toBeDefined();
    clock.advance(1);
    await expect(client.refreshTokenGrant(elsewhere, first.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    for (const { access_token, refresh_token = '' } of [second, racing]) {
      expect(await one.ownerOf(access_token)).toBeUndefined();
      await expect(client.refreshTokenGrant(config, refresh_token)).rejects.toMatchObject({
        error: 'invalid_grant',
      });
    }
  });
});

describe('an authorization request', () => {
  const paramsOf = (config: client.Configuration): URLSearchParams =>
    new URLSearchParams({
      response_type: 'code',
      client_id: config.clientMetadata().client_id,
      redirect_uri: REDIRECT_URI,
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      state: 'a state',
    });
  const send = (params: URLSearchParams) =>
    fetch(`${one.url}/oauth/authorize?${params.toString()}`, {
      redirect: 'manual',
      headers: { accept: 'text/html' },
    });

  test.each([
    'http://127.0.0.1:9/callback/../other',
    'http://127.0.0.1.evil.example/callback',
    'http://127.0.0.1:9@evil.example/callback',
    'https://127.0.0.1:9/callback',
    'http://localhost:9/callback',
    'http://127.0.0.1:9/callback#code',
    'http://127.0.0.1:9/callback?more=1',
    'javascript:alert(1)//http://127.0.0.1:9/callback',
  ])('to come back to %s is told to the person, and leads nowhere', async (redirectUri) => {
    const params = paramsOf((await newClient()).config);
    params.set('redirect_uri', redirectUri);
    const response = await send(params);
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('of a native client may come back to any port of its loopback address (RFC 8252)', async () => {
    const params = paramsOf((await newClient()).config);
    params.set('redirect_uri', 'http://127.0.0.1:49152/callback');
    expect((await send(params)).headers.get('location')).toMatch(/^\/oauth\/interaction\//);
  });

  test.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for a token at once', { response_type: 'token' }, 'unsupported_response_type'],
    ['for an unknown resource', { resource: 'https://other.example' }, 'invalid_target'],
    [
      'for an MCP server by its secret token',
      { resource: 'http://127.0.0.1/mcp/mcp_secret' },
      'invalid_target',
    ],
    ['for administration', { scope: 'administration' }, 'invalid_scope'],
    ['for a scope that there is not', { scope: 'nonsense' }, 'invalid_scope'],
    ['for openid and a scope that there is not', { scope: 'openid nonsense' }, 'invalid_scope'],
  ])('%s is refused to the client', async (_name, changes, error) => {
    const params = paramsOf((await newClient()).config);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) params.delete(name);
      else params.set(name, value);
    }
    const location = new URL((await send(params)).headers.get('location') ?? '', REDIRECT_URI);
    const answer = new URLSearchParams(location.search || location.hash.slice(1));
    expect(location.origin + location.pathname).toBe(REDIRECT_URI);
    expect(answer.get('error')).toBe(error);
    expect(answer.get('state')).toBe('a state');
  });

  test('for administration among other things gets the other things', async () => {
    const { config } = await newClient();
    const tokens = await authorize(config, stack.owner, { scope: 'tools.read administration' });
    expect(tokens.scope).toBe('tools.read');
  });
});

describe('consent', () => {
  const grantsOf = (clientId: string) =>
    stack.store.db.collection('oauth_grants').countDocuments({ clientId });

  test('is given by the signed-in user: a form for another user grants nothing', async () => {
    const { config } = await newClient();
    const { browser } = await startAuthorization(config);
    const { email, password } = stack.owner;
    await browser.press('Sign in', { email, password });
    expect(await browser.press('Allow', { user_id: 'usr_somebody' })).toBeUndefined();
    expect(await grantsOf(config.clientMetadata().client_id)).toBe(0);
  });

  test('a confidential client works for its own account only', async () => {
    await createAccount(stack.deps, platformContext, {
      name: 'Two',
      ownerEmail: 'owner@two.example',
      ownerPassword: new Secret('another password'),
    });
    const { id, secret } = await newConfidentialClient(stack, {
      redirectUris: [REDIRECT_URI],
      grantTypes: ['authorization_code'],
    });
    const config = await discover(stack, id, { secret });
    const { browser } = await startAuthorization(config);
    await browser.press('Sign in', { email: 'owner@two.example', password: 'another password' });
    expect(browser.page.status).toBe(403);
    expect(await grantsOf(id)).toBe(0);
  });
});

describe('a bearer token that is not ours is refused', () => {
  let good: string;
  let payload: JWTPayload;

  beforeAll(async () => {
    const { config } = await newClient();
    good = (await authorize(config, stack.owner)).access_token;
    payload = decodeJwt(good);
  });

  test('while one that is opens the API', async () => {
    expect(await one.ownerOf(good)).toBeDefined();
  });

  const expectRefused = async (token: string): Promise<void> => {
    expect(await one.ownerOf(token)).toBeUndefined();
  };

  test('alg none', () => expectRefused(new UnsecuredJWT(payload).encode()));

  test('alg HS256 with the public key as its secret', async () => {
    const { kid = '' } = decodeProtectedHeader(good);
    const published = await fetch(`${one.url}/oauth/jwks`);
    const { keys } = (await published.json()) as { readonly keys: readonly JWK[] };
    const jwk = keys.find((it) => it.kid === kid);
    if (jwk === undefined) throw new Error('The key is not known.');
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    for (const secret of [
      key.export({ type: 'spki', format: 'pem' }).toString(),
      JSON.stringify(key.export({ format: 'jwk' })),
    ]) {
      const head = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'at+jwt', kid })).toString('base64url');
      const text = `${head}.${good.split('.')[1] ?? ''}`;
      await expectRefused(`${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`);
    }
  });

  test('signed by a foreign key under our key id, even if it contains that key', async () => {
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    const { kid = '' } = decodeProtectedHeader(good);
    const jwk = await exportJWK(publicKey);
    for (const header of [{ kid }, { kid, jwk }, { kid: guid() }, {}]) {
      const forged = new SignJWT(payload).setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', ...header });
      await expectRefused(await forged.sign(privateKey));
    }
  });

  test('changed by one character', () =>
    expectRefused(good.replace(/\.(.)/, (_all, first: string) => `.${first === 'a' ? 'b' : 'a'}`)));

  test('an ID token', async () => {
    const { client_id } = (await newClient()).config.clientMetadata();
    const config = await discover(stack, client_id, { algorithm: 'oidc' });
    const { id_token: idToken = '' } = await authorize(config, stack.owner, { scope: 'openid' });
    await expectRefused(idToken);
  });

  test('one of the sort that ends every reader: empty parts, no parts, megabytes', async () => {
    for (const token of ['..', 'a.b.c', 'x', `${good}.${good}`, `${'a'.repeat(9000)}.b.c`])
      await expectRefused(token);
  });

  test('an expired one, from 30 seconds after its end on', async () => {
    const { config } = await newClient();
    const { access_token: token } = await authorize(config, stack.owner);
    const { exp = 0 } = decodeJwt(token);
    clock.advance(exp * 1000 + 30_000 - clock.now().getTime() + 1000);
    await expectRefused(token);
  });
});

describe('headers of a request do not say where we are', () => {
  const HOSTILE = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '203.0.113.9',
    forwarded: 'host=evil.example;proto=https',
    'x-original-url': '/evil',
  };

  test.each(['/.well-known/openid-configuration', '/oauth/.well-known/openid-configuration'])(
    'the metadata at %s names the public address',
    async (path) => {
      const response = await fetch(one.url + path, { headers: HOSTILE });
      const text = await response.text();
      expect(text).not.toContain('evil.example');
      expect(JSON.parse(text)).toMatchObject({
        issuer: `${stack.publicUrl}/oauth`,
        token_endpoint: `${stack.publicUrl}/oauth/token`,
        jwks_uri: `${stack.publicUrl}/oauth/jwks`,
      });
    },
  );

  test('nor do redirects and cookies follow them', async () => {
    const { config } = await newClient();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    const response = await fetch(url, { headers: HOSTILE, redirect: 'manual' });
    expect(response.headers.get('location')).toMatch(/^\/oauth\/interaction\//);
    const cookies = response.headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) {
      expect(cookie).not.toContain('evil.example');
      expect(cookie).toMatch(/httponly/i);
      expect(cookie).toMatch(/samesite=lax/i);
      // The public address is http.
      expect(cookie).not.toMatch(/secure/i);
    }
  });
});
