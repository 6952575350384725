import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { PERMISSIONS } from '@fairlead/access/permissions';
import { MCP_SCOPES } from '@fairlead/access/well-known';
import { startOAuthStack } from '../testing/oauth-stack.ts';
import type { OAuthStack } from '../testing/oauth-stack.ts';

const PUBLIC_URL = 'https://api.example';
let stack: OAuthStack;
let url: string;

beforeAll(async () => {
  // As behind a TLS-terminating proxy.
  stack = await startOAuthStack(
    { mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') },
    { publicUrl: PUBLIC_URL },
  );
  ({ url } = stack.replicas[0]);
});
afterAll(() => stack.close());

async function registerClient(): Promise<string> {
  const response = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: ['https://client.example/callback'] }),
  });
  const { client_id: clientId } = (await response.json()) as { readonly client_id: string };
  return clientId;
}

describe('the metadata of the authorization server', () => {
  test.each([
    '/.well-known/oauth-authorization-server/oauth',
    '/.well-known/openid-configuration/oauth',
    '/oauth/.well-known/openid-configuration',
    '/oauth/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
  ])('stands at %s, for scripts of any site', async (path) => {
    const response = await fetch(url + path, { headers: { origin: 'https://inspector.example' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(response.headers.get('access-control-allow-origin')).toMatch(
      /^(\*|https:\/\/inspector\.example)$/,
    );
    expect(await response.json()).toMatchObject({
      issuer: `${PUBLIC_URL}/oauth`,
      authorization_endpoint: `${PUBLIC_URL}/oauth/authorize`,
      token_endpoint: `${PUBLIC_URL}/oauth/token`,
      registration_endpoint: `${PUBLIC_URL}/oauth/register`,
      revocation_endpoint: `${PUBLIC_URL}/oauth/revoke`,
      introspection_endpoint: `${PUBLIC_URL}/oauth/introspect`,
      device_authorization_endpoint: `${PUBLIC_URL}/oauth/device/authorize`,
      jwks_uri: `${PUBLIC_URL}/oauth/jwks`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      grant_types_supported: expect.arrayContaining([
        'authorization_code',
        'refresh_token',
        'client_credentials',
        'urn:ietf:params:oauth:grant-type:device_code',
      ]) as unknown,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
      scopes_supported: expect.arrayContaining([...PERMISSIONS]) as unknown,
    });
  });

  test.each([
    ['/.well-known/oauth-protected-resource', PUBLIC_URL, PERMISSIONS],
    ['/.well-known/oauth-protected-resource/mcp', `${PUBLIC_URL}/mcp`, MCP_SCOPES],
  ])('%s describes the protected resource (RFC 9728)', async (path, resource, scopes) => {
    expect(await (await fetch(url + path)).json()).toEqual({
      resource,
      resource_name: expect.any(String) as unknown,
      authorization_servers: [`${PUBLIC_URL}/oauth`],
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
    });
  });

  test('public keys only are published', async () => {
    const { keys } = (await (await fetch(`${url}/oauth/jwks`)).json()) as { keys: Record<string, unknown>[] };
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });
});

describe('addresses', () => {
  test.each([
    '/oauth',
    '/oauth/',
    '/oauth/nothing',
    '/oauth/session/end',
    '/oauth/session/end/confirm',
    '/oauth/me',
  ])('%s is none: 404 with the envelope', async (path) => {
    const response = await fetch(url + path);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ errorCode: 'NOT_FOUND' });
  });

  test('a browser gets a page with a way back instead, at an address that is none', async () => {
    const response = await fetch(`${url}/oauth/nothing`, { headers: { accept: 'text/html' } });
    expect([response.status, await response.text()]).toEqual([
      404,
      expect.stringContaining('Go to the start page'),
    ]);
  });

  test.each([
    ['GET', '/oauth/token', 'POST, OPTIONS'],
    ['DELETE', '/oauth/register', 'POST, OPTIONS'],
    ['POST', '/oauth/jwks', 'GET, HEAD, OPTIONS'],
  ])('%s %s is 405 and says what it takes', async (method, path, allow) => {
    const response = await fetch(url + path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
  });

  test('an answer that is posted to the client by a form runs the script of that form only', async () => {
    const query = new URLSearchParams({
      client_id: await registerClient(),
      response_type: 'code',
      response_mode: 'form_post',
      redirect_uri: 'https://client.example/callback',
      prompt: 'none',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    const response = await fetch(`${url}/oauth/authorize?${query.toString()}`);
    expect(await response.text()).toContain('login_required');
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-[^']+'; base-uri 'none'; frame-ancestors 'none'$/,
    );
  });

  test('the token endpoint answers scripts of any site, and never with cookies', async () => {
    const response = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      headers: { origin: 'https://inspector.example', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=authorization_code&client_id=fairlead-cli',
    });
    expect(response.status).toBe(400);
    expect(response.headers.get('access-control-allow-origin')).toBe('https://inspector.example');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});

test('over https every cookie is Secure, and that of the session is held to the origin', async () => {
  const query = new URLSearchParams({
    client_id: await registerClient(),
    response_type: 'code',
    redirect_uri: 'https://client.example/callback',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  const asked = await fetch(`${url}/oauth/authorize?${query.toString()}`, { redirect: 'manual' });
  const device = await fetch(`${url}/oauth/device`, { headers: { accept: 'text/html' } });
  expect(device.status).toBe(200);
  const cookies = [...asked.headers.getSetCookie(), ...device.headers.getSetCookie()];
  const names = cookies.map((cookie) => cookie.split('=', 1).join('').replace('.sig', ''));
  expect(new Set(names)).toEqual(
    new Set(['__Secure-fairlead_interaction', '__Secure-fairlead_resume', '__Host-fairlead_session']),
  );
  for (const cookie of cookies) {
    expect(cookie).toMatch(/; secure/i);
    expect(cookie).toMatch(/; httponly/i);
    expect(cookie).not.toMatch(/; domain/i);
  }
  const ofSession = cookies.filter((cookie) => cookie.startsWith('__Host-'));
  for (const cookie of ofSession) expect(cookie).toMatch(/; path=\/;/i);
});
