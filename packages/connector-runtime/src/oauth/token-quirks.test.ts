import type { OAuth2Scheme } from '@fairlead/connector-model/model';
import { defineOAuth2Scheme } from '@fairlead/connector-model/oauth2-scheme';
import type { OAuth2SchemeMembers } from '@fairlead/connector-model/oauth2-scheme';
import { ManualClock } from '@fairlead/service-kit/clock';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { testEgress } from '../testing/calls.ts';
import { startTestServer } from '../testing/http-server.ts';
import type { ReceivedRequest, TestResponse, TestServer } from '../testing/http-server.ts';
import { createTokenClient, TokenError } from '../token-client.ts';
import { tokenHost } from './token-host.ts';
import type { TokenSet } from '../token-client.ts';

const NOW = new Date('2026-11-21T10:00:00Z');
const IN_AN_HOUR = new Date('2026-11-21T11:00:00Z');
const egress = testEgress();
const tokenClient = createTokenClient({ egress, clock: new ManualClock(NOW) });
afterAll(() => egress.close());

const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

type Members = Partial<Omit<OAuth2SchemeMembers, 'type'>>;

interface Vendor {
  readonly scheme: OAuth2Scheme;
  readonly requests: readonly ReceivedRequest[];
}

/** A vendor that sends these responses in order, and repeats the last one. */
async function vendorWith(members: (url: string) => Members, ...responses: TestResponse[]): Promise<Vendor> {
  const server = await startTestServer((_request, count) => responses[count - 1] ?? responses.at(-1) ?? {});
  servers.push(server);
  const scheme = defineOAuth2Scheme({
    grant: 'authorizationCode',
    authorizationUrl: `${server.url}/authorize`,
    tokenUrl: `${server.url}/token`,
    scopes: ['read', 'write'],
    ...members(server.url),
  });
  return { scheme, requests: server.requests };
}

const call = {
  accountId: 'a-1',
  client: { clientId: 'id', clientSecret: 'cl1ent-secret' },
  values: { field: { shop: 'acme' } },
  signal: new AbortController().signal,
};
const redirectUri = 'https://own.example/callback';
const exchange = ({ scheme }: Vendor): Promise<TokenSet> =>
  tokenClient.exchangeCode(scheme, { ...call, redirectUri, code: 'c0de', codeVerifier: 'verifier' });
const refresh = ({ scheme }: Vendor, refreshToken = 'r3fresh'): Promise<TokenSet> =>
  tokenClient.refresh(scheme, { ...call, refreshToken });
const refusal = (of: Promise<unknown>): Promise<unknown> =>
  of.then(
    () => 'granted',
    (error: unknown) => (error instanceof TokenError ? error : 'a defect'),
  );
const formOf = (request: ReceivedRequest | undefined): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(request?.body));

const granted = { body: { access_token: 'a' } };

describe('a token request', () => {
  it('goes as JSON to Notion, with basic authentication', async () => {
    const vendor = await vendorWith(() => ({ tokenFormat: 'json', usesPkce: false }), granted);
    await exchange(vendor);
    const [request] = vendor.requests;
    expect(request).toMatchObject({
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${Buffer.from('id:cl1ent-secret').toString('base64')}`,
      },
    });
    expect(JSON.parse(request?.body ?? '')).toEqual({
      grant_type: 'authorization_code',
      code: 'c0de',
      redirect_uri: redirectUri,
    });
  });

  it('goes by GET to Facebook, with the client in the query', async () => {
    const vendor = await vendorWith(
      () => ({ tokenFormat: 'query', clientAuthentication: 'body', usesPkce: false }),
      granted,
    );
    await exchange(vendor);
    const [request] = vendor.requests;
    expect(request).toMatchObject({ method: 'GET', body: '' });
    expect(Object.fromEntries(request?.query ?? [])).toMatchObject({
      client_id: 'id',
      client_secret: 'cl1ent-secret',
      code: 'c0de',
    });
  });

  it('names the client as TikTok does, in the sign-in too', async () => {
    const vendor = await vendorWith(
      () => ({ clientIdParameter: 'client_key', clientAuthentication: 'body', scopeSeparator: ',' }),
      granted,
    );
    await exchange(vendor);
    expect(formOf(vendor.requests[0])).toMatchObject({ client_key: 'id', client_secret: 'cl1ent-secret' });
    const url = tokenClient.authorizationUrl(vendor.scheme, {
      ...call,
      redirectUri,
      state: 's',
      codeChallenge: 'c',
    });
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      client_key: 'id',
      scope: 'read,write',
    });
  });

  it('keeps the secret back where the client is public, as it may be at X and Airtable', async () => {
    const vendor = await vendorWith(() => ({ clientAuthentication: 'none' }), granted);
    await exchange(vendor);
    expect(vendor.requests[0]?.headers.authorization).toBeUndefined();
    expect(formOf(vendor.requests[0])).toMatchObject({ client_id: 'id', code_verifier: 'verifier' });
    expect(vendor.requests[0]?.body).not.toContain('cl1ent-secret');
  });
});

describe('a sign-in', () => {
  it('asks for scopes of the user as Slack names them', async () => {
    const { scheme } = await vendorWith(() => ({ scopeParameter: 'user_scope', scopeSeparator: ',' }));
    const o = { ...call, redirectUri, state: 's', codeChallenge: 'c' };
    const { searchParams } = new URL(tokenClient.authorizationUrl(scheme, o));
    expect([searchParams.get('user_scope'), searchParams.get('scope')]).toEqual(['read,write', null]);
  });

  it('exchanges the short-lived token of Facebook for a long-lived one, and knows who signed in', async () => {
    const vendor = await vendorWith(
      (url) => ({
        tokenFormat: 'query',
        clientAuthentication: 'body',
        exchange: {
          url: `${url}/oauth/access_token`,
          grantType: 'fb_exchange_token',
          tokenParameter: 'fb_exchange_token',
        },
      }),
      { body: { access_token: 'short', user_id: 7 } },
      { body: { access_token: 'long', expires_in: 3600 } },
    );
    expect(await exchange(vendor)).toMatchObject({
      accessToken: 'long',
      expiresAt: IN_AN_HOUR,
      raw: { user_id: 7, access_token: 'long' },
    });
    expect(vendor.requests[1]).toMatchObject({ method: 'GET', path: '/oauth/access_token' });
    expect(Object.fromEntries(vendor.requests[1]?.query ?? [])).toEqual({
      grant_type: 'fb_exchange_token',
      fb_exchange_token: 'short',
      client_id: 'id',
      client_secret: 'cl1ent-secret',
    });
  });

  it('fails if the exchange does, without the token in the reason', async () => {
    const vendor = await vendorWith(
      () => ({ exchange: { grantType: 'ig_exchange_token', tokenParameter: 'access_token' } }),
      { body: { access_token: 'sh0rt-lived' } },
      { status: 400, body: { error: 'invalid_grant', error_description: 'no sh0rt-lived' } },
    );
    expect(await refusal(exchange(vendor))).toMatchObject({ message: 'no *** (invalid_grant)' });
  });
});

describe('a renewal', () => {
  it('of Instagram is made by the access token itself, at its own address and without the secret', async () => {
    const vendor = await vendorWith(
      (url) => ({
        refresh: {
          url: `${url}/refresh_access_token`,
          format: 'query',
          clientAuthentication: 'none',
          token: 'accessToken',
          grantType: 'ig_refresh_token',
          tokenParameter: 'access_token',
        },
      }),
      { body: { access_token: 'first' } },
      { body: { access_token: 'second', expires_in: 3600 } },
    );
    const { refreshToken } = await exchange(vendor);
    expect(refreshToken).toBe('first');
    expect(await refresh(vendor, refreshToken)).toMatchObject({
      accessToken: 'second',
      refreshToken: 'second',
    });
    expect(vendor.requests[1]).toMatchObject({ method: 'GET', path: '/refresh_access_token' });
    expect(Object.fromEntries(vendor.requests[1]?.query ?? [])).toEqual({
      grant_type: 'ig_refresh_token',
      access_token: 'first',
      client_id: 'id',
    });
  });

  it('counts at the host that renews, which Instagram has beside the one that issues', () => {
    const scheme = defineOAuth2Scheme({
      grant: 'authorizationCode',
      tokenUrl: 'https://api.instagram.example/oauth/access_token',
      refresh: { url: 'https://graph.instagram.example/refresh_access_token' },
    });
    expect(tokenHost(scheme, {})).toBe('graph.instagram.example');
    expect(tokenHost({ ...scheme, refresh: { ...scheme.refresh, url: null } }, {})).toBe(
      'api.instagram.example',
    );
  });

  it('has parameters of its own, which replace those of every token request (Microsoft: resource)', async () => {
    const vendor = await vendorWith(
      () => ({
        tokenParameters: { resource: 'https://graph.example', tenant: '{{field.shop}}' },
        refresh: { parameters: { resource: 'https://{{field.shop}}.example' } },
      }),
      granted,
    );
    await exchange(vendor);
    await refresh(vendor);
    expect(formOf(vendor.requests[0])).toMatchObject({ resource: 'https://graph.example', tenant: 'acme' });
    expect(formOf(vendor.requests[1])).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'r3fresh',
      resource: 'https://acme.example',
      tenant: 'acme',
    });
  });
});

describe('a token request for an API user', () => {
  it.each([
    ['Akeneo', { tokenFormat: 'json' }],
    ['ServiceNow', { clientAuthentication: 'body' }],
  ] as const)('sends name and password beside the client (%s)', async (_vendor, members) => {
    const vendor = await vendorWith(
      () => ({
        grant: 'password',
        authorizationUrl: null,
        scopes: [],
        tokenParameters: { username: '{{field.shop}}-bot', password: 'b0t-password' },
        ...members,
      }),
      granted,
    );
    await tokenClient.clientCredentials(vendor.scheme, call);
    const [request] = vendor.requests;
    const isJson = 'tokenFormat' in members;
    const sent: unknown = isJson ? JSON.parse(request?.body ?? '') : formOf(request);
    const client = isJson ? {} : { client_id: 'id', client_secret: 'cl1ent-secret' };
    expect(sent).toEqual({
      grant_type: 'password',
      username: 'acme-bot',
      password: 'b0t-password',
      ...client,
    });
    const basic = `Basic ${Buffer.from('id:cl1ent-secret').toString('base64')}`;
    expect(request?.headers.authorization).toBe(isJson ? basic : undefined);
  });
});

describe('a response', () => {
  it('of Slack holds the tokens of the user in the sign-in, and at the top of a renewal', async () => {
    const vendor = await vendorWith(
      () => ({
        tokenResponse: {
          accessTokenPointers: ['/authed_user/access_token', '/access_token'],
          refreshTokenPointers: ['/authed_user/refresh_token', '/refresh_token'],
          expiryPointers: ['/authed_user/expires_in', '/expires_in'],
          scopePointers: ['/authed_user/scope', '/scope'],
        },
      }),
      {
        body: {
          ok: true,
          access_token: '',
          scope: '',
          authed_user: {
            access_token: 'xoxe-1',
            refresh_token: 'r-1',
            expires_in: 3600,
            scope: 'chat:write,read',
          },
        },
      },
      { body: { ok: true, access_token: 'xoxe-2', refresh_token: 'r-2', expires_in: 3600 } },
    );
    expect(await exchange(vendor)).toMatchObject({
      accessToken: 'xoxe-1',
      refreshToken: 'r-1',
      expiresAt: IN_AN_HOUR,
      scopes: ['chat:write', 'read'],
      statesScopes: true,
    });
    expect(await refresh(vendor)).toMatchObject({ accessToken: 'xoxe-2', refreshToken: 'r-2' });
  });

  it.each([
    ['text', 'the most', 'seconds', '/expires_in', { expires_in: '3600' }],
    ['milliseconds', 'Zoho', 'milliseconds', '/expires_in', { expires_in: 3_600_000 }],
    [
      'the time in seconds',
      'Strava',
      'epochSeconds',
      '/expires_at',
      { expires_at: IN_AN_HOUR.getTime() / 1000 },
    ],
    [
      'the time in milliseconds',
      'AliExpress',
      'epochMilliseconds',
      '/expire_time',
      { expire_time: IN_AN_HOUR.getTime() },
    ],
    ['the time as a text', 'Square', 'dateTime', '/expires_at', { expires_at: '2026-11-21T11:00:00Z' }],
    ['a part of its data', 'Lark', 'seconds', '/data/expires_in', { code: 0, data: { expires_in: 3600 } }],
  ] as const)('states the expiry as %s (%s)', async (_what, _vendor, expiryFormat, pointer, body) => {
    const tokenResponse = { expiryFormat, expiryPointers: [pointer] };
    const vendor = await vendorWith(() => ({ tokenResponse }), { body: { access_token: 'a', ...body } });
    expect((await refresh(vendor)).expiresAt).toEqual(IN_AN_HOUR);
  });

  it.each([0, -1, 1e300, 'soon', true, [], '2026-11-21T09:00:00Z'])(
    'with the expiry %o states none',
    async (value) => {
      for (const expiryFormat of ['seconds', 'epochSeconds', 'dateTime'] as const) {
        const vendor = await vendorWith(() => ({ tokenResponse: { expiryFormat } }), {
          body: { access_token: 'a', expires_in: value },
        });
        expect((await refresh(vendor)).expiresAt).toBeUndefined();
      }
    },
  );
});

describe('an error', () => {
  const slack = {
    errorCodes: {
      invalid_refresh_token: 'invalid_grant',
      token_revoked: 'invalid_grant',
      bad_client_secret: 'invalid_client',
    },
  } as const;
  const facebook = {
    errorCodePointers: ['/error/code'],
    errorMessagePointers: ['/error/message'],
    errorCodes: { '190': 'invalid_grant', '2': 'temporarily_unavailable' },
  } as const;

  it.each([
    ['200 of Slack', slack, { body: { ok: false, error: 'token_revoked' } }, 'refused', 'invalid_grant'],
    [
      "200 about Slack's client",
      slack,
      { body: { ok: false, error: 'bad_client_secret' } },
      'refused',
      'invalid_client',
    ],
    [
      '200 that is not listed',
      slack,
      { body: { ok: false, error: 'org_login_required' } },
      'refused',
      'org_login_required',
    ],
    [
      "an object (Facebook's expired token)",
      facebook,
      { status: 400, body: { error: { code: 190, message: 'Expired.' } } },
      'refused',
      'invalid_grant',
    ],
    [
      "Facebook's outage",
      facebook,
      { status: 400, body: { error: { code: 2, message: 'Later.' } } },
      'unavailable',
      'temporarily_unavailable',
    ],
    ['an inherited name', slack, { body: { error: 'constructor' } }, 'refused', 'constructor'],
    [
      '400 with HTML',
      {},
      { status: 400, headers: { 'content-type': 'text/html' }, body: '<h1>' },
      'refused',
      undefined,
    ],
  ] as const)('%s has its standard meaning', async (_name, tokenResponse, response, kind, code) => {
    const vendor = await vendorWith(() => ({ tokenResponse }) as Members, response);
    expect(await refusal(refresh(vendor))).toMatchObject({ kind, code });
  });
});
