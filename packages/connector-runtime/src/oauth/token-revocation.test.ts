import { defineOAuth2Scheme } from '@fairlead/connector-model/oauth2-scheme';
import type { OAuth2SchemeMembers } from '@fairlead/connector-model/oauth2-scheme';
import { systemClock } from '@fairlead/service-kit/clock';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testEgress } from '../testing/calls.ts';
import { startTestServer } from '../testing/http-server.ts';
import type { ReceivedRequest, TestResponse, TestServer } from '../testing/http-server.ts';
import { startStrictVendor, VENDOR_CLIENTS } from '../testing/strict-vendor.ts';
import type { StrictVendor } from '../testing/strict-vendor.ts';
import { createTokenClient, TokenError } from '../token-client.ts';

const egress = testEgress();
const tokenClient = createTokenClient({ egress, clock: systemClock });
afterAll(() => egress.close());

const tokens = { accessToken: 'acc3ss', refreshToken: 'r3fresh' };
const client = { clientId: 'id', clientSecret: 'cl1ent-secret' };
const call = {
  accountId: 'a-1',
  client,
  values: { field: { clientId: 'id' } },
  signal: new AbortController().signal,
};
type Revocation = NonNullable<OAuth2SchemeMembers['revocation']>;

const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function revoke(
  revocation: (url: string) => Revocation,
  response: TestResponse = {},
  granted: { accessToken: string; refreshToken: string | null } = tokens,
): Promise<{ readonly outcome: string; readonly received: ReceivedRequest }> {
  const server = await startTestServer(() => response);
  servers.push(server);
  const scheme = defineOAuth2Scheme({
    grant: 'authorizationCode',
    authorizationUrl: `${server.url}/auth`,
    tokenUrl: `${server.url}/token`,
    revocation: revocation(server.url),
  });
  const outcome = await tokenClient
    .revokeToken(scheme, { ...call, tokens: granted })
    .catch((error: unknown) =>
      error instanceof TokenError ? `${error.kind}: ${error.message}` : 'a defect',
    );
  const [received] = server.requests;
  if (received === undefined) throw new Error('nothing was sent');
  return { outcome, received };
}

describe('a vendor with', () => {
  const basic = `Basic ${Buffer.from('id:cl1ent-secret').toString('base64')}`;

  it('RFC 7009 (Salesforce, Zoom) gets the refresh token by form, as the authenticated client', async () => {
    const { outcome, received } = await revoke((url) => ({ url: `${url}/revoke` }));
    expect(outcome).toBe('revoked');
    expect(received).toMatchObject({
      method: 'POST',
      path: '/revoke',
      body: 'token=r3fresh',
      headers: { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' },
    });
  });

  it('no refresh token for this grant gets the access token', async () => {
    const { received } = await revoke(
      (url) => ({ url: `${url}/revoke` }),
      {},
      { ...tokens, refreshToken: null },
    );
    expect(received.body).toBe('token=acc3ss');
  });

  it('a grant to delete by JSON (GitHub) gets the access token, and basic authentication', async () => {
    const { received } = await revoke((url) => ({
      url: `${url}/applications/{{field.clientId}}/grant`,
      method: 'DELETE',
      format: 'json',
      token: 'accessToken',
      tokenParameter: 'access_token',
    }));
    expect(received).toMatchObject({
      method: 'DELETE',
      path: '/applications/id/grant',
      body: '{"access_token":"acc3ss"}',
      headers: { authorization: basic },
    });
  });

  it('the token in the path (HubSpot) gets it there, and counts a missing one as revoked', async () => {
    const { outcome, received } = await revoke(
      (url) => ({
        url: `${url}/oauth/v1/refresh-tokens/{{token.value}}`,
        method: 'DELETE',
        format: 'query',
        clientAuthentication: 'none',
        tokenParameter: null,
      }),
      { status: 404, body: { status: 'error' } },
    );
    expect(outcome).toBe('revoked');
    expect(received).toMatchObject({ path: '/oauth/v1/refresh-tokens/r3fresh', body: '' });
    expect(received.query.has('client_secret')).toBe(false);
  });

  it('an API call that ends the grant (Linear) gets the access token as calls send it', async () => {
    const { received } = await revoke((url) => ({
      url: `${url}/oauth/revoke`,
      clientAuthentication: 'none',
      tokenParameter: null,
      sendsAccessToken: true,
    }));
    expect(received).toMatchObject({ body: 'client_id=id', headers: { authorization: 'Bearer acc3ss' } });
  });

  it.each([
    ['an unknown token', { status: 400, body: { error: 'invalid_token' } }, /^revoked$/],
    [
      'a refused client',
      { status: 401, body: { error: 'invalid_client', error_description: 'cl1ent-secret, r3fresh' } },
      /^refused: \*{3}, \*{3} \(invalid_client\)$/,
    ],
    [
      'an error with status 200 (Slack)',
      { body: { ok: false, error: 'not_allowed' } },
      /^refused: not_allowed$/,
    ],
    ['an outage', { status: 503 }, /^unavailable: /],
    ['a page from something in between', { status: 403, body: '<p>' }, /^unavailable: /],
  ])('%s says so', async (_name, response, outcome) => {
    const told = await revoke((url) => ({ url: `${url}/revoke` }), response);
    expect(told.outcome).toMatch(outcome);
  });
});

it('sends nothing to a vendor without a revocation endpoint', async () => {
  const scheme = defineOAuth2Scheme({ grant: 'clientCredentials', tokenUrl: 'http://127.0.0.1:9/token' });
  expect(await tokenClient.revokeToken(scheme, { ...call, tokens })).toBe('unsupported');
});

describe('at a strict vendor', () => {
  let vendor: StrictVendor;
  beforeAll(async () => {
    vendor = await startStrictVendor();
  });
  afterAll(() => vendor.close());

  it('a revoked token is no longer accepted, and revoking it twice succeeds', async () => {
    const scheme = defineOAuth2Scheme({
      grant: 'clientCredentials',
      tokenUrl: `${vendor.url}/token`,
      scopes: ['crm.read'],
      revocation: { url: `${vendor.url}/token/revocation` },
    });
    const own = { ...call, client: VENDOR_CLIENTS.basic };
    const { accessToken } = await tokenClient.clientCredentials(scheme, own);
    expect(await vendor.isActive(accessToken)).toBe(true);
    const revoked = { ...own, tokens: { accessToken, refreshToken: null } };
    expect(await tokenClient.revokeToken(scheme, revoked)).toBe('revoked');
    expect(await vendor.isActive(accessToken)).toBe(false);
    expect(await tokenClient.revokeToken(scheme, revoked)).toBe('revoked');
  });
});
