import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as oauth from 'openid-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FormBrowser, signInAndAllow } from './testing/form-browser.ts';
import { connectorClient, REDIRECT_URI, startTestCrm, testConfig } from './testing/sandbox.ts';

let dataDirectory: string;

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'sandbox-crm-'));
});

afterEach(() => rm(dataDirectory, { recursive: true }));

function clientFor(url: string): oauth.Configuration {
  const server = {
    issuer: `${url}/oauth`,
    authorization_endpoint: `${url}/oauth/auth`,
    token_endpoint: `${url}/oauth/token`,
  };
  const client = new oauth.Configuration(
    server,
    connectorClient.clientId,
    undefined,
    oauth.ClientSecretBasic(connectorClient.clientSecret),
  );
  oauth.allowInsecureRequests(client);
  return client;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen');
  return address.port;
}

test('a restart keeps records, tokens, grants and the browser session', async () => {
  const before = await startTestCrm({ dataDirectory });
  const browser = new FormBrowser();
  const verifier = oauth.randomPKCECodeVerifier();
  const parameters = {
    redirect_uri: REDIRECT_URI,
    scope: 'crm.read offline_access',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  const client = clientFor(before.url);
  const callback = await signInAndAllow(
    oauth.buildAuthorizationUrl(client, parameters),
    testConfig.user,
    browser,
  );
  const tokens = await oauth.authorizationCodeGrant(client, callback, { pkceCodeVerifier: verifier });
  await before.api('POST', '/contacts', { body: { name: 'Kept Kim' } });
  await before.close();

  const after = await startTestCrm({ dataDirectory });
  try {
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const found = await after.api('GET', '/contacts?top=1', { headers });
    expect(found).toMatchObject({ status: 200, body: { items: [{ name: 'Kept Kim' }], totalCount: 7 } });
    const fresh = await oauth.refreshTokenGrant(clientFor(after.url), tokens.refresh_token ?? '');
    expect(fresh.refresh_token).toEqual(expect.any(String));
    const shown = await browser.open(oauth.buildAuthorizationUrl(clientFor(after.url), parameters));
    expect(shown.html).toContain('Allow access?');
  } finally {
    await after.close();
  }
});

test('behind a public URL, every address it gives out is below that, and cookies are for HTTPS', async () => {
  const port = await freePort();
  const crm = await startTestCrm({ port, publicUrl: 'https://crm.example/' });
  try {
    expect(crm.url).toBe('https://crm.example');
    const metadata = await fetch(`http://127.0.0.1:${port}/.well-known/oauth-authorization-server/oauth`);
    expect(await metadata.json()).toMatchObject({
      issuer: 'https://crm.example/oauth',
      authorization_endpoint: 'https://crm.example/oauth/auth',
      token_endpoint: 'https://crm.example/oauth/token',
      revocation_endpoint: 'https://crm.example/oauth/revoke',
    });
    const client = { client_id: connectorClient.clientId, redirect_uri: REDIRECT_URI, response_type: 'code' };
    const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
    const query = new URLSearchParams({ ...client, ...challenge }).toString();
    const response = await fetch(`http://127.0.0.1:${port}/oauth/auth?${query}`, { redirect: 'manual' });
    expect(response.headers.get('location')).toMatch(
      /^\/interaction\/|^https:\/\/crm\.example\/interaction\//,
    );
    const cookies = response.headers.getSetCookie();
    expect(cookies.filter((cookie) => !/; secure/i.test(cookie))).toEqual([]);
    expect(cookies).not.toEqual([]);
  } finally {
    await crm.close();
  }
});

test('a taken port fails the start', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  await expect(startTestCrm({ port: portOf(other) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  other.close();
});

describe('as a process', () => {
  const environment = {
    PORT: '0',
    API_TOKEN: testConfig.apiToken,
    ADMIN_KEY: testConfig.adminKey,
    USER_EMAIL: testConfig.user.email,
    USER_PASSWORD: testConfig.user.password,
    OAUTH_CLIENTS: JSON.stringify(testConfig.oauthClients),
  };
  const main = join(import.meta.dirname, 'main.ts');
  const start = (more: Record<string, string> = {}): ChildProcess =>
    spawn(process.execPath, [main], { env: { ...environment, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });

  async function urlOf(child: ChildProcess): Promise<string> {
    if (child.stdout === null) throw new Error('the process has no output');
    const first: unknown[] = await once(child.stdout, 'data');
    return /"url":"(?<url>[^"]+)"/.exec(String(first[0]))?.groups?.['url'] ?? '';
  }

  async function endOf(child: ChildProcess): Promise<{ code: number | null; errors: string }> {
    let errors = '';
    child.stderr?.on('data', (chunk) => (errors += String(chunk)));
    const exit: unknown[] = await once(child, 'close');
    return { code: typeof exit[0] === 'number' ? exit[0] : null, errors };
  }

  test('it serves until SIGTERM and exits with 0, quietly', async () => {
    const child = start();
    const url = await urlOf(child);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await endOf(child)).toEqual({ code: 0, errors: '' });
  });

  test('records that were acknowledged before kill -9 exist afterwards', async () => {
    const child = start({ DATA_DIRECTORY: dataDirectory });
    const url = await urlOf(child);
    const headers = { 'x-api-token': testConfig.apiToken, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Kept Kim' });
    const created = await fetch(`${url}/api/contacts`, { method: 'POST', headers, body });
    expect(created.status).toBe(201);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const after = await startTestCrm({ dataDirectory });
    const found = await after.api('GET', '/contacts?top=1');
    await after.close();
    expect(found.body).toMatchObject({ items: [await created.json()] });
  });

  test('unusable settings end it with 1 and one line each', async () => {
    const { code, errors } = await endOf(start({ PORT: 'x', API_TOKEN: '' }));
    expect(code).toBe(1);
    expect(errors).toMatch(/^Unusable settings:\n(PORT|API_TOKEN): .*\n(PORT|API_TOKEN): .*\n$/);
  });
});
