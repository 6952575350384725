import { createGuardedEgress } from '@fairlead/egress/guarded-egress';
import type { Egress } from '@fairlead/egress/egress';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import * as client from 'openid-client';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { PERMISSIONS } from '@fairlead/access/permissions';
import { REDIRECT_URI, authorize, startAuthorization, discover, register } from '../testing/oauth-client.ts';
import { oauthClientCollection } from '../storage/oauth-client.collection.ts';
import { startOAuthStack } from '../testing/oauth-stack.ts';
import type { OAuthStack } from '../testing/oauth-stack.ts';

const DOCUMENT_ID = 'https://client.example/oauth/client.json';
const STORES = { mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') };
const log = createLogger({ service: 'test', level: 'silent' });

let stack: OAuthStack;
let egress: Egress;
/** Documents of outside hosts, by address; undefined: fetch through the guarded egress. */
let outside: Map<string, () => Response>;
let fetched: string[];

beforeAll(async () => {
  egress = createGuardedEgress({ allow: [], userAgent: 'test', log });
  stack = await startOAuthStack(STORES, {
    env: { OAUTH_REGISTRATIONS_PER_HOUR: '40' },
    fetch: (input, init) => {
      const url = input instanceof Request ? input.url : input.toString();
      fetched.push(url);
      const answer = outside.get(url);
      return answer === undefined ? egress.createFetch()(input, init) : Promise.resolve(answer());
    },
  });
});
afterAll(async () => {
  await stack.close();
  await egress.close();
});
beforeEach(() => {
  outside = new Map();
  fetched = [];
});

const answerSchema = z.record(z.string(), z.unknown());

async function post(body: unknown, url = stack.replicas[0].url) {
  const response = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://inspector.example' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: answerSchema.parse(await response.json()),
  };
}

describe('dynamic registration', () => {
  test('makes a public client for the authorization code, whatever authentication was asked for', async () => {
    const { status, headers, body } = await post({
      redirect_uris: [REDIRECT_URI],
      client_name: 'An MCP client',
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      response_types: ['code', 'token'],
      scope: 'administration everything',
      software_id: 'anything',
    });
    expect(status).toBe(201);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({
      client_id: expect.stringMatching(/^client_/) as unknown,
      client_name: 'An MCP client',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: [REDIRECT_URI],
      application_type: 'native',
    });
    expect(Object.keys(body).filter((name) => /secret|scope|token$|fairlead/.test(name))).toEqual([]);
  });

  test.each([
    ['no address to come back to', {}, 'invalid_redirect_uri'],
    ['a fragment in it', { redirect_uris: ['https://a.example/#x'] }, 'invalid_redirect_uri'],
    ['plain http to elsewhere', { redirect_uris: ['http://a.example/'] }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    [
      'client credentials only',
      { redirect_uris: [REDIRECT_URI], grant_types: ['client_credentials'] },
      'invalid_client_metadata',
    ],
    ['a name that is no text', { redirect_uris: [REDIRECT_URI], client_name: 5 }, 'invalid_client_metadata'],
    ['no JSON', '{', 'invalid_request'],
    ['a list', [], 'invalid_client_metadata'],
    ['a body without end', `{"client_name":"${'a'.repeat(60_000)}"}`, 'invalid_request'],
  ])('refuses %s', async (_name, body, error) => {
    const answer = await post(body);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.body).toMatchObject({ error });
  });

  test('lets no client claim what administrators decide', async () => {
    const { body } = await post({
      redirect_uris: [REDIRECT_URI],
      fairlead_scopes: 'administration',
      fairlead_account_id: stack.owner.accountId,
      client_id: 'fairlead-cli',
    });
    const config = await discover(stack, String(body['client_id']));
    const tokens = await authorize(config, stack.owner, {
      scope: [...PERMISSIONS, 'administration'].join(' '),
    });
    expect(tokens.scope?.split(' ')).not.toContain('administration');
  });

  test('answers the question of a browser that a script of another site asks', async () => {
    const response = await fetch(`${stack.replicas[0].url}/oauth/register`, {
      method: 'OPTIONS',
      headers: { origin: 'https://inspector.example', 'access-control-request-method': 'POST' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-methods')).toContain('POST');
  });

  test('is limited by address, and says when to retry', async () => {
    let last = await post({ redirect_uris: [REDIRECT_URI] });
    for (let tries = 0; tries < 50 && last.status === 201; tries += 1)
      last = await post({ redirect_uris: [REDIRECT_URI] });
    expect(last.status).toBe(429);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(last.body).toMatchObject({ error: 'temporarily_unavailable' });
  });

  test('one more than may be unused removes the oldest of them, never one that is used, and nobody is refused', async () => {
    const full = await startOAuthStack(STORES, { env: { OAUTH_MAX_UNUSED_CLIENTS: '2' } });
    try {
      const used = await register(full);
      await authorize(used, full.owner);
      const [first, second] = [await register(full), await register(full)];
      // Backdates both registrations by ten minutes.
      await full.store
        .collection(oauthClientCollection)
        .updateMany({ isUsed: false }, [{ $set: { expiresAt: { $subtract: ['$expiresAt', 10 * 60_000] } } }]);
      const third = await register(full);
      await expect(authorize(first, full.owner)).rejects.toThrow('/oauth/authorize (400)');
      for (const client of [used, second, third]) await authorize(client, full.owner);
    } finally {
      await full.close();
    }
  });

  test.each(['OAUTH_REGISTRATIONS_PER_HOUR', 'OAUTH_MAX_UNUSED_CLIENTS'])(
    'is switched off by %s=0',
    async (variable) => {
      const off = await startOAuthStack(STORES, { env: { [variable]: '0' } });
      try {
        expect(await post({ redirect_uris: [REDIRECT_URI] }, off.publicUrl)).toMatchObject({
          status: 400,
          body: { error: 'access_denied' },
        });
      } finally {
        await off.close();
      }
    },
  );
});

describe('a client known by its document', () => {
  const document = {
    client_id: DOCUMENT_ID,
    client_name: 'Documented',
    redirect_uris: [REDIRECT_URI, 'https://client.example/callback'],
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_method: 'none',
  };
  const serve = (body: unknown, init: ResponseInit = {}): void => {
    outside.set(DOCUMENT_ID, () => new Response(JSON.stringify(body), init));
  };
  /** A document is cached for at least a minute, so each case uses its own address. */
  let number = 0;
  const ownId = (): string => `https://client.example/${(number += 1)}.json`;
  const open = async (id: string) => (await startAuthorization(await discover(stack, id))).browser.page;

  test('needs no registration; its document is fetched once for a while, and its host is shown', async () => {
    serve(document);
    const config = await discover(stack, DOCUMENT_ID);
    const tokens = await authorize(config, stack.owner);
    expect(await stack.replicas[0].ownerOf(tokens.access_token)).toBeDefined();
    expect((await client.refreshTokenGrant(config, tokens.refresh_token ?? '')).access_token).toBeDefined();
    expect(fetched).toEqual([DOCUMENT_ID]);
    const { browser } = await startAuthorization(config);
    await browser.press('Sign in', { email: stack.owner.email, password: stack.owner.password });
    expect(browser.page.html).toContain('client.example');
  });

  test('cannot claim what administrators decide, nor make us fetch more', async () => {
    const id = ownId();
    const claims = {
      fairlead_scopes: 'administration',
      fairlead_account_id: stack.owner.accountId,
      scope: 'administration',
      jwks_uri: 'https://client.example/jwks',
      sector_identifier_uri: 'https://client.example/sector',
    };
    outside.set(id, () => Response.json({ ...document, ...claims, client_id: id }));
    const tokens = await authorize(await discover(stack, id), stack.owner, {
      scope: 'tools.read administration',
    });
    expect(tokens.scope).toBe('tools.read');
    expect(fetched).toEqual([id]);
  });

  test.each([
    ['is of another client', { client_id: 'https://client.example/other.json' }],
    ['names a secret', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['holds a secret', { client_secret: 'public' }],
    ['wants client credentials only', { grant_types: ['client_credentials'] }],
    ['leads elsewhere over plain http', { redirect_uris: ['http://evil.example/'] }],
    ['is larger than a document may be', { client_name: 'a'.repeat(20_000) }],
  ])('is unknown where the document %s', async (_name, changes) => {
    const id = ownId();
    outside.set(id, () => Response.json({ ...document, client_id: id, ...changes }));
    expect((await open(id)).status).toBe(400);
  });

  test.each([
    ['redirects', () => new Response(null, { status: 302, headers: { location: 'https://other.example/' } })],
    ['is not there', () => new Response('', { status: 404 })],
    ['is no JSON', () => new Response('<html>')],
  ])('is unknown where its address %s', async (_name, answer) => {
    const id = ownId();
    outside.set(id, answer);
    expect((await open(id)).status).toBe(400);
    expect(new Set(fetched)).toEqual(new Set([id]));
  });

  test.each([
    'https://127.0.0.1/client.json',
    'https://169.254.169.254/latest',
    'https://[::1]/client.json',
    'https://localhost/client.json',
  ])('is not fetched from within: %s', async (id) => {
    // This address is fetched through the real guarded egress.
    expect((await open(id)).status).toBe(400);
    expect(new Set(fetched)).toEqual(new Set([id]));
  });

  test('is fetched from an address so often only', async () => {
    for (let tries = 0; tries < 40; tries += 1) await open(ownId());
    expect(fetched.length).toBeLessThan(40);
  });
});
