import { decodeJwt, decodeProtectedHeader } from 'jose';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { SCOPES } from '@fairlead/access/permissions';
import type { Scope } from '@fairlead/access/permissions';
import type { AccountClientGrant } from '../domain/oauth-client.ts';
import { DEFAULT_SCOPES, SERVED_SCOPES } from '@fairlead/access/scopes';
import { FormBrowser } from '../testing/form-browser.ts';
import {
  REDIRECT_URI,
  authorize,
  startAuthorization,
  discover,
  register,
  signInAndAllow,
} from '../testing/oauth-client.ts';
import { newClient, newPerson, startOAuthStack } from '../testing/oauth-stack.ts';
import { contextOf } from '../testing/context-of.ts';
import { updateUser } from '../use-cases/update-user.ts';
import type { OAuthStack } from '../testing/oauth-stack.ts';

let stack: OAuthStack;

beforeAll(async () => {
  stack = await startOAuthStack({ mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') });
});
afterAll(() => stack.close());

const ownerOf = (token: string) => stack.replicas[0].ownerOf(token);

async function newConfidentialClient(
  grantTypes: readonly AccountClientGrant[],
  scopes: readonly Scope[] = DEFAULT_SCOPES,
): Promise<client.Configuration> {
  const redirectUris = grantTypes.includes('authorization_code') ? [REDIRECT_URI] : [];
  const { id, secret } = await newClient(stack, { grantTypes, scopes, redirectUris });
  return discover(stack, id, { secret });
}

describe('authorization code with PKCE', () => {
  test('a registered client gets an access token as a JWT (RFC 9068) that the API takes', async () => {
    const config = await register(stack);
    const tokens = await authorize(config, stack.owner);
    expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({ alg: 'RS256', typ: 'at+jwt' });
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      iss: `${stack.publicUrl}/oauth`,
      sub: stack.owner.userId,
      aud: stack.publicUrl,
      client_id: config.clientMetadata().client_id,
      scope: DEFAULT_SCOPES.join(' '),
      account_id: stack.owner.accountId,
      user_id: stack.owner.userId,
      jti: expect.any(String) as unknown,
      grant_id: expect.any(String) as unknown,
    });
    expect(tokens.expires_in).toBe(900);
    expect(await ownerOf(tokens.access_token)).toEqual({
      accountId: stack.owner.accountId,
      userId: stack.owner.userId,
      scopes: DEFAULT_SCOPES,
      isActive: true,
    });
  });

  test('a client gets the scopes that it asks for, and those only', async () => {
    const config = await register(stack);
    const tokens = await authorize(config, stack.owner, { scope: 'tools.read connections.write' });
    expect(tokens.scope?.split(' ').sort()).toEqual(['connections.write', 'tools.read']);
  });

  test('of scopes that a client names those that there are not are left out', async () => {
    const config = await register(stack);
    const tokens = await authorize(config, stack.owner, { scope: 'tools.read nonsense' });
    expect(tokens.scope).toBe('tools.read');
  });

  test('a refresh may ask for less than was granted, and gets that', async () => {
    const config = await register(stack);
    const tokens = await authorize(config, stack.owner, { scope: 'tools.read connections.read' });
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', {
      scope: 'tools.read',
    });
    expect(decodeJwt(refreshed.access_token)['scope']).toBe('tools.read');
    expect(await ownerOf(refreshed.access_token)).toMatchObject({ scopes: ['tools.read'] });
  });

  test('a confidential client authenticates with its secret; a wrong one is invalid_client', async () => {
    const config = await newConfidentialClient(['authorization_code', 'refresh_token']);
    const tokens = await authorize(config, stack.owner);
    expect(await ownerOf(tokens.access_token)).toBeDefined();
    const impostor = await discover(stack, config.clientMetadata().client_id, { secret: 'guessed' });
    await expect(client.refreshTokenGrant(impostor, tokens.refresh_token ?? '')).rejects.toMatchObject({
      status: 401,
      cause: [
        { scheme: 'basic', parameters: expect.objectContaining({ error: 'invalid_client' }) as unknown },
      ],
    });
  });

  test('openid gives an ID token, and an access token that is good for the API all the same', async () => {
    const { client_id } = (await register(stack)).clientMetadata();
    const config = await discover(stack, client_id, { algorithm: 'oidc' });
    const tokens = await authorize(config, stack.owner, { scope: 'openid' });
    expect(tokens.claims()).toMatchObject({ sub: stack.owner.userId, aud: client_id });
    expect(await ownerOf(tokens.access_token)).toMatchObject({ scopes: DEFAULT_SCOPES });
  });

  test('a token is for the resource that was asked for; the API refuses one for the MCP endpoint', async () => {
    const config = await register(stack);
    const tokens = await authorize(config, stack.owner, { resource: `${stack.publicUrl}/mcp` });
    expect(decodeJwt(tokens.access_token).aud).toBe(`${stack.publicUrl}/mcp`);
    expect(await ownerOf(tokens.access_token)).toBeUndefined();
  });

  test('a trailing slash names the same resource, at each step', async () => {
    const config = await register(stack);
    const tokens = await authorize(config, stack.owner, { resource: `${stack.publicUrl}/` });
    expect(decodeJwt(tokens.access_token).aud).toBe(stack.publicUrl);
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', {
      resource: stack.publicUrl,
    });
    expect(decodeJwt(refreshed.access_token).aud).toBe(stack.publicUrl);
  });

  test('a second authorization in the same browser asks for consent again where the client is on the machine', async () => {
    const config = await register(stack);
    const { browser } = await startAuthorization(config);
    await signInAndAllow(browser, stack.owner);
    const again = await startAuthorization(config, {}, browser);
    expect(again.answer).toBeUndefined();
    expect(again.browser.page.html).toContain('A test');
    expect((await again.browser.press('Allow'))?.searchParams.has('code')).toBe(true);
  });

  test('a denial is reported to the client as access_denied', async () => {
    const config = await register(stack);
    const { browser } = await startAuthorization(config);
    const { email, password } = stack.owner;
    await browser.press('Sign in', { email, password });
    const answer = await browser.press('Deny');
    expect(answer?.searchParams.get('error')).toBe('access_denied');
    expect(answer?.searchParams.get('iss')).toBe(`${stack.publicUrl}/oauth`);
  });
});

describe('refresh tokens', () => {
  test('are issued to clients with the grant, without offline_access, and rotate', async () => {
    const config = await register(stack);
    const first = await authorize(config, stack.owner);
    const second = await client.refreshTokenGrant(config, first.refresh_token ?? '');
    expect(second.refresh_token).toEqual(expect.any(String));
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await ownerOf(second.access_token)).toBeDefined();
    expect(decodeJwt(second.access_token)['grant_id']).toBe(decodeJwt(first.access_token)['grant_id']);
  });

  test('are not issued to a client that registered without the grant', async () => {
    const config = await register(stack, { grant_types: ['authorization_code'] });
    expect((await authorize(config, stack.owner)).refresh_token).toBeUndefined();
  });

  test('of a user who is no longer active give nothing', async () => {
    const person = await newPerson(stack, 'leaving@one.example');
    const config = await register(stack);
    const tokens = await authorize(config, person);
    await updateUser(stack.deps, contextOf(stack.owner), person.userId, { isActive: false });
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect(await ownerOf(tokens.access_token)).toMatchObject({ isActive: false });
  });
});

describe('client credentials', () => {
  test('act as the user that the administrator chose, in its account, and come without a refresh token', async () => {
    const config = await newConfidentialClient(['client_credentials']);
    const tokens = await client.clientCredentialsGrant(config);
    expect(tokens.refresh_token).toBeUndefined();
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      sub: config.clientMetadata().client_id,
      account_id: stack.owner.accountId,
      user_id: stack.owner.userId,
    });
    expect(await ownerOf(tokens.access_token)).toMatchObject({
      userId: stack.owner.userId,
      scopes: DEFAULT_SCOPES,
    });
  });

  test('get no more than the client may have, and administration where it may', async () => {
    const narrow = await newConfidentialClient(['client_credentials'], ['tools.read']);
    const tokens = await client.clientCredentialsGrant(narrow, {
      scope: 'nonsense tools.read tools.write administration',
    });
    expect(tokens.scope).toBe('tools.read');
    await expect(client.clientCredentialsGrant(narrow, { scope: 'administration' })).rejects.toMatchObject({
      error: 'invalid_scope',
    });
    const wide = await newConfidentialClient(['client_credentials'], ['tools.read', 'administration']);
    expect((await client.clientCredentialsGrant(wide)).scope).toBe('tools.read');
    const asked = await client.clientCredentialsGrant(wide, { scope: 'administration' });
    expect(asked.scope).toBe('administration');
  });

  test.each(['nonsense', 'nonsense more.nonsense', 'openid nonsense', 'TOOLS.READ', 'administration'])(
    'for "%s", nothing of which the client may have, are invalid_scope',
    async (scope) => {
      const config = await newConfidentialClient(['client_credentials']);
      await expect(client.clientCredentialsGrant(config, { scope })).rejects.toMatchObject({
        status: 400,
        error: 'invalid_scope',
      });
    },
  );

  test.each(['', 'openid', 'offline_access', 'openid profile email'])(
    'for "%s", which names no permission, are for the defaults',
    async (scope) => {
      const config = await newConfidentialClient(['client_credentials']);
      expect((await client.clientCredentialsGrant(config, { scope })).scope).toBe(DEFAULT_SCOPES.join(' '));
    },
  );
});

describe('the device flow', () => {
  async function allowDevice(device: client.DeviceAuthorizationResponse): Promise<void> {
    const { email, password } = stack.owner;
    const browser = new FormBrowser({ stopAt: () => false });
    await browser.open(device.verification_uri_complete ?? '');
    await browser.press('Continue');
    await browser.press('Yes, continue');
    await browser.press('Sign in', { email, password });
    await browser.press('Allow');
  }

  test('the command line gets tokens once the person has compared the code, with administration where it asks', async () => {
    const config = await discover(stack, 'fairlead-cli');
    const device = await client.initiateDeviceAuthorization(config, { scope: SCOPES.join(' ') });
    expect(device.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    const poll = () =>
      client.genericGrantRequest(config, 'urn:ietf:params:oauth:grant-type:device_code', {
        device_code: device.device_code,
      });
    await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending' });

    const browser = new FormBrowser({ stopAt: () => false });
    await browser.open(device.verification_uri_complete ?? '');
    expect(browser.page.html).not.toContain('<script');
    await browser.press('Continue');
    expect(browser.page.html).toContain(device.user_code);
    await browser.press('Yes, continue');
    const { email, password } = stack.owner;
    await browser.press('Sign in', { email, password });
    await browser.press('Allow');
    expect(browser.page.status).toBe(200);

    const tokens = await client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 });
    expect(await ownerOf(tokens.access_token)).toMatchObject({ scopes: SERVED_SCOPES });
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(await ownerOf(refreshed.access_token)).toBeDefined();
    // The code is already used.
    await expect(poll()).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test('is not begun for scopes none of which there is; for some of them it is for those', async () => {
    const config = await discover(stack, 'fairlead-cli');
    await expect(
      client.initiateDeviceAuthorization(config, { scope: 'nonsense offline_access' }),
    ).rejects.toMatchObject({ status: 400, error: 'invalid_scope' });
    const device = await client.initiateDeviceAuthorization(config, { scope: 'nonsense tools.read' });
    await allowDevice(device);
    const tokens = await client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 });
    expect(tokens.scope).toBe('tools.read');
  });

  test('without a scope, or for offline_access alone, is for the defaults', async () => {
    const config = await discover(stack, 'fairlead-cli');
    for (const parameters of [{}, { scope: 'offline_access' }]) {
      const device = await client.initiateDeviceAuthorization(config, parameters);
      await allowDevice(device);
      const tokens = await client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 });
      expect(await ownerOf(tokens.access_token)).toMatchObject({ scopes: DEFAULT_SCOPES });
    }
  });

  test('a code that the person does not know ends with access_denied', async () => {
    const config = await discover(stack, 'fairlead-cli');
    const device = await client.initiateDeviceAuthorization(config, {});
    const browser = new FormBrowser({ stopAt: () => false });
    await browser.open(device.verification_uri);
    await browser.press('Continue', { user_code: device.user_code.toLowerCase() });
    await browser.press('No, cancel');
    await expect(
      client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 }),
    ).rejects.toMatchObject({ error: 'access_denied' });
  });
});

describe('revocation and introspection', () => {
  test('of a refresh token: the whole grant ends, for the API at once, and introspection says so', async () => {
    const config = await newConfidentialClient(['authorization_code', 'refresh_token']);
    const tokens = await authorize(config, stack.owner);
    const refreshToken = tokens.refresh_token ?? '';
    expect(await ownerOf(tokens.access_token)).toBeDefined();
    expect(await client.tokenIntrospection(config, refreshToken)).toMatchObject({ active: true });
    expect(await client.tokenIntrospection(config, tokens.access_token)).toMatchObject({
      active: true,
      iss: `${stack.publicUrl}/oauth`,
      aud: stack.publicUrl,
      sub: stack.owner.userId,
      account_id: stack.owner.accountId,
      token_type: 'Bearer',
    });
    await client.tokenRevocation(config, refreshToken);
    expect(await ownerOf(tokens.access_token)).toBeUndefined();
    expect(await client.tokenIntrospection(config, refreshToken)).toEqual({ active: false });
    expect(await client.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false });
    await expect(client.refreshTokenGrant(config, refreshToken)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  test('of an access token: it and its grant end', async () => {
    const config = await register(stack);
    const tokens = await authorize(config, stack.owner);
    expect(await ownerOf(tokens.access_token)).toBeDefined();
    await client.tokenRevocation(config, tokens.access_token, { token_type_hint: 'access_token' });
    expect(await ownerOf(tokens.access_token)).toBeUndefined();
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  test('of an access token of client credentials: that token ends, another of the client does not', async () => {
    const config = await newConfidentialClient(['client_credentials']);
    const [revoked, kept] = [
      await client.clientCredentialsGrant(config),
      await client.clientCredentialsGrant(config),
    ];
    for (const { access_token } of [revoked, kept]) expect(await ownerOf(access_token)).toBeDefined();
    await client.tokenRevocation(config, revoked.access_token);
    expect(await ownerOf(revoked.access_token)).toBeUndefined();
    expect(await ownerOf(kept.access_token)).toBeDefined();
    expect(await client.tokenIntrospection(config, revoked.access_token)).toEqual({ active: false });
    expect(await client.tokenIntrospection(config, kept.access_token)).toMatchObject({
      active: true,
      user_id: stack.owner.userId,
    });
  });

  test('by another client change nothing and tell nothing', async () => {
    const config = await register(stack);
    const tokens = await authorize(config, stack.owner);
    const other = await newConfidentialClient(['client_credentials']);
    for (const token of [tokens.access_token, tokens.refresh_token ?? '']) {
      expect(await client.tokenIntrospection(other, token)).toEqual({ active: false });
      await client.tokenRevocation(other, token);
    }
    expect(await ownerOf(tokens.access_token)).toBeDefined();
    expect((await client.refreshTokenGrant(config, tokens.refresh_token ?? '')).access_token).toBeDefined();
  });

  test('introspection takes a client that can prove who it is', async () => {
    const config = await register(stack);
    const tokens = await authorize(config, stack.owner);
    expect(await client.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false });
  });
});
