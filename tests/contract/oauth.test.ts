import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, createUser, expectStatus, removeAccount } from './support/accounts.ts';
import type { TestUser } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { expectError, get, patch, post, stack } from './support/api.ts';
import {
  authorizeAs,
  claimsOf,
  postForm,
  redeem,
  refresh,
  registerClient,
  serverMetadata,
  tokensOf,
  withToken,
} from './support/oauth.ts';
import type { TestClient } from './support/oauth.ts';
import { row } from './support/row.ts';

const whoami = '/v1/auth/whoami';

let account: TestAccount;
let owner: { readonly email: string; readonly password: string };
let client: TestClient;
beforeAll(async () => {
  account = await createAccount();
  owner = { email: account.ownerEmail, password: account.ownerPassword };
  client = await registerClient();
});
afterAll(() => removeAccount(account));

describe('what clients discover', () => {
  row(
    ['authentication.10', 'completion.auth-and-people.12'],
    'the metadata of the authorization server is at every address that clients try',
    async () => {
      const metadata = await serverMetadata();
      expect(metadata).toMatchObject({
        issuer: `${stack.baseUrl}/oauth`,
        code_challenge_methods_supported: ['S256'],
        response_types_supported: ['code'],
        authorization_response_iss_parameter_supported: true,
      });
      const addresses = [
        '/.well-known/oauth-authorization-server/oauth',
        '/.well-known/openid-configuration/oauth',
        '/.well-known/oauth-authorization-server',
        '/.well-known/openid-configuration',
        '/oauth/.well-known/openid-configuration',
      ];
      for (const address of addresses) {
        const answer = await get(address, { apiKey: null });
        expect(answer.status, address).toBe(200);
        expect(answer.body.token_endpoint, address).toBe(metadata.token_endpoint);
      }
      for (const endpoint of [
        'authorization',
        'token',
        'registration',
        'revocation',
        'introspection',
        'device_authorization',
      ]) {
        expect(metadata[`${endpoint}_endpoint`], endpoint).toMatch(new RegExp(`^${stack.baseUrl}/oauth/`));
      }
      const keys = await get(new URL(metadata.jwks_uri).pathname, { apiKey: null });
      expect(keys.body.keys.length).toBeGreaterThan(0);
      for (const key of keys.body.keys) expect(Object.keys(key)).not.toContain('d');
    },
  );

  row(
    ['authentication.10', 'completion.auth-and-people.22'],
    'the API is a protected resource that names its authorization server and scopes',
    async () => {
      const { status, body } = await get('/.well-known/oauth-protected-resource', { apiKey: null });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        resource: stack.baseUrl,
        authorization_servers: [`${stack.baseUrl}/oauth`],
      });
      expect(body.scopes_supported).toEqual(expect.arrayContaining(['connections.read', 'tools.execute']));
    },
  );

  row(['authentication.6', 'authentication.10'], 'a 401 names the protected-resource metadata', async () => {
    for (const options of [{ apiKey: null }, withToken('no.such.token')]) {
      const { status, headers } = await get(whoami, options);
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toMatch(/^Bearer\b/);
      expect(headers.get('www-authenticate')).toContain(
        `resource_metadata="${stack.baseUrl}/.well-known/oauth-protected-resource"`,
      );
    }
  });
});

describe('a token for the API', () => {
  row(
    [
      'authentication.3',
      'authentication.10',
      'completion.auth-and-people.5',
      'completion.auth-and-people.16',
      'completion.auth-and-people.18',
      'completion.auth-and-people.21',
    ],
    'a person signs in and consents; the token acts as that person, and whoami shows it',
    async () => {
      const { access_token, scope } = await tokensOf(owner, client, { scope: 'connections.read tools.read' });
      expect(scope.split(' ').toSorted()).toEqual(['connections.read', 'tools.read']);
      const answer = await get(whoami, withToken(access_token));
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body).toMatchObject({
        accountId: account.accountId,
        userEmail: account.ownerEmail,
        credentialType: 'bearer',
        credentialId: claimsOf(access_token).jti,
        roles: ['owner'],
      });
      expect(answer.body.scopes.toSorted()).toEqual(['connections.read', 'tools.read']);
      expect(answer.body.permissions.toSorted()).toEqual(['connections.read', 'tools.read']);
      expect(claimsOf(access_token)).toMatchObject({
        iss: `${stack.baseUrl}/oauth`,
        aud: stack.baseUrl,
        client_id: client.clientId,
      });
    },
  );

  row('authentication.4', 'the token wins over a valid key of another account', async () => {
    const { access_token } = await tokensOf(owner, client);
    const both = { apiKey: stack.otherAccount.apiKey, headers: withToken(access_token).headers };
    expect((await get(whoami, both)).body).toMatchObject({
      accountId: account.accountId,
      credentialType: 'bearer',
    });
  });

  row(
    'errors.4',
    'scopes cut what the person may do: no other permission, and no administration',
    async () => {
      const { access_token } = await tokensOf(owner, client, { scope: 'connections.read' });
      const bearer = withToken(access_token);
      expect((await get('/v1/connections', bearer)).status).toBe(200);
      for (const path of ['/v1/tools', '/v1/executions', '/admin/v1/account', '/admin/v1/users']) {
        expectError(await get(path, bearer), 403, 'FORBIDDEN');
      }
      expectError(await post('/v1/connections', {}, bearer), 403, 'FORBIDDEN');
    },
  );

  row('errors.4', 'a scope gives nobody more than their role does', async () => {
    const member = await createUser(account, { role: 'member' });
    expectStatus(await patch('/admin/v1/account', { isRbacEnabled: true }, account), 200);
    const { access_token } = await tokensOf(member, client, { scope: 'tools.read tools.write' });
    await expect
      .poll(async () => (await get(whoami, withToken(access_token))).body.permissions)
      .toEqual(['tools.read']);
    expectStatus(await patch('/admin/v1/account', { isRbacEnabled: false }, account), 200);
  });

  row(
    ['authentication.9', 'errors.24'],
    'a token of a user who is no longer active gets ACCOUNT_USER_INACTIVE',
    async () => {
      const user: TestUser = await createUser(account, { role: 'developer' });
      const { access_token } = await tokensOf(user, client);
      expect((await get(whoami, withToken(access_token))).status).toBe(200);
      expectStatus(await patch(`/admin/v1/users/${user.userId}`, { isActive: false }, account), 200);
      await expect.poll(async () => (await get(whoami, withToken(access_token))).status).toBe(403);
      expectError(await get(whoami, withToken(access_token)), 403, 'ACCOUNT_USER_INACTIVE');
    },
  );

  row(
    ['authentication.6', 'errors.21', 'completion.auth-and-people.19'],
    'a token that was changed, or is meant for something else, is 401',
    async () => {
      const { access_token } = await tokensOf(owner, client);
      const [header = '', payload = '', signature = ''] = access_token.split('.');
      const claims = { ...claimsOf(access_token), account_id: stack.otherAccount.accountId };
      const forged = [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
      const unsigned = [Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url'), payload, ''].join(
        '.',
      );
      for (const token of [forged, unsigned, access_token.slice(0, -6), `${access_token}x`]) {
        expectError(await get(whoami, withToken(token)), 401, 'UNAUTHORIZED');
      }
      const ofMcp = await tokensOf(owner, client, { resource: `${stack.baseUrl}/mcp` }).catch(
        () => undefined,
      );
      if (ofMcp !== undefined)
        expectError(await get(whoami, withToken(ofMcp.access_token)), 401, 'UNAUTHORIZED');
    },
  );

  test('its account’s budgets apply to it, and its responses show them', async () => {
    const { access_token } = await tokensOf(owner, client);
    const answer = await get(whoami, withToken(access_token));
    expect(answer.headers.get('ratelimit-policy')).toBe(
      (await get(whoami, account)).headers.get('ratelimit-policy'),
    );
  });
});

describe('codes and refresh tokens', () => {
  test('the client learns its state and the issuer, and a refusal of the person', async () => {
    expect(await authorizeAs(owner, client)).toMatchObject({
      state: 'state-of-the-test',
      iss: `${stack.baseUrl}/oauth`,
      error: null,
    });
    expect(await authorizeAs(owner, client, { decision: 'Deny' })).toMatchObject({
      code: null,
      error: 'access_denied',
    });
  });

  test('[completion.auth-and-people.13] PKCE is required', async () => {
    const more = { code_challenge: undefined, code_challenge_method: undefined };
    expect(await authorizeAs(owner, client, { more })).toMatchObject({
      code: null,
      error: 'invalid_request',
    });
  });

  test('[completion.auth-and-people.13] a code works once, with its verifier, for its client', async () => {
    const authorization = await authorizeAs(owner, client);
    const wrong = await redeem(client, {
      ...authorization,
      codeVerifier: 'not-the-verifier'.padEnd(43, '0'),
    });
    expect([wrong.status, wrong.body.error]).toEqual([400, 'invalid_grant']);
    const next = await authorizeAs(owner, client);
    const answers = await Promise.all([redeem(client, next), redeem(client, next)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
  });

  test('[completion.auth-and-people.14, completion.auth-and-people.20] a refresh token gives a new pair, and the person’s revocation ends it', async () => {
    const first = await tokensOf(owner, client);
    const answer = await refresh(client, first.refresh_token ?? '');
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(answer.body.refresh_token).not.toBe(first.refresh_token);
    expect((await get(whoami, withToken(answer.body.access_token))).status).toBe(200);
    const { revocation_endpoint: endpoint } = await serverMetadata();
    expect((await postForm(endpoint, client, { token: answer.body.refresh_token })).status).toBe(200);
    expect((await refresh(client, answer.body.refresh_token)).body.error).toBe('invalid_grant');
    for (const token of [first.access_token, answer.body.access_token]) {
      await expect.poll(async () => (await get(whoami, withToken(token))).status).toBe(401);
    }
  });

  test('[completion.auth-and-people.20] a revoked access token is 401 within two seconds', async () => {
    const { access_token } = await tokensOf(owner, client);
    expect((await get(whoami, withToken(access_token))).status).toBe(200);
    const { revocation_endpoint: endpoint } = await serverMetadata();
    expect((await postForm(endpoint, client, { token: access_token })).status).toBe(200);
    await expect.poll(async () => (await get(whoami, withToken(access_token))).status).toBe(401);
  });
});
