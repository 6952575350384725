import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import type { Answer } from '@fairlead/service-kit/testing/http';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { DEFAULT_SCOPES } from '@fairlead/access/scopes';
import { authorize, discover, register, whoamiBy } from 'CROSS:services/identity/src/testing/oauth-client.ts';
import { startOAuthStack } from 'CROSS:services/identity/src/testing/oauth-stack.ts';
import type { OAuthStack } from 'CROSS:services/identity/src/testing/oauth-stack.ts';
import { call } from '../../testing/edge.ts';

const PATH = '/admin/v1/oauth-clients';
let stack: OAuthStack;

beforeAll(async () => {
  stack = await startOAuthStack({ mongodbUri: inject('mongodbUri') });
});
afterAll(() => stack.close());

function asOwner(method: string, path: string, json?: unknown): Promise<Answer> {
  const headers = { 'x-api-key': stack.owner.apiKey };
  return call(stack.replicas[0], method, path, { headers, ...(json !== undefined && { json }) });
}

const tokenOf = async (made: Answer): Promise<string> => {
  const config = await discover(stack, String(made.body['clientId']), {
    secret: String(made.body['clientSecret']),
  });
  return (await client.clientCredentialsGrant(config)).access_token;
};
const whoami = (token: string) => whoamiBy(token, stack.replicas[0].url);

describe('OAuth clients of an account', () => {
  test('are made with the caller as their user, readers of everything by default, and show their secret once', async () => {
    const made = await asOwner('POST', PATH, { name: 'Nightly job' });
    expect(made).toMatchObject({
      status: 201,
      body: {
        clientId: expect.stringMatching(/^client_/) as unknown,
        clientSecret: expect.stringMatching(/^fairlead_secret_[0-9A-Za-z]{43}$/) as unknown,
        name: 'Nightly job',
        redirectUris: [],
        grantTypes: ['client_credentials'],
        scopes: DEFAULT_SCOPES,
        userId: stack.owner.userId,
      },
    });
    const listed = await asOwner('GET', PATH);
    const { clientSecret, text: _text, ...record } = made.body;
    expect(listed.body['items']).toContainEqual(record);
    expect(listed.body['text']).not.toContain(clientSecret);
  });

  test('act as the user that is named, and can do no more than that user may', async () => {
    const actor = { ...stack.owner, roles: ['owner'] as const };
    const member = await stack.identity.createUser(testContext(), actor, {
      email: 'member@one.example',
      role: 'member',
      isActive: true,
      password: new Secret('a good password'),
    });
    const made = await asOwner('POST', PATH, {
      name: 'Member job',
      userId: member.id,
      scopes: ['tools.read', 'administration'],
    });
    const config = await discover(stack, String(made.body['clientId']), {
      secret: String(made.body['clientSecret']),
    });
    const { access_token: token } = await client.clientCredentialsGrant(config, {
      scope: 'tools.read administration',
    });
    expect((await whoami(token)).body).toMatchObject({ userId: member.id, roles: ['member'] });
    const refused = await fetch(stack.replicas[0].url + PATH, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(refused.status).toBe(403);
    await stack.identity.updateUser(testContext(), actor, member.id, { isActive: false });
    await expect(client.clientCredentialsGrant(config)).rejects.toMatchObject({
      error: 'unauthorized_client',
    });
  });

  test('administrate only with the scope, whatever their user may', async () => {
    const made = await asOwner('POST', PATH, { name: 'Admin job', scopes: ['administration', 'tools.read'] });
    const config = await discover(stack, String(made.body['clientId']), {
      secret: String(made.body['clientSecret']),
    });
    const statusBy = async (scope: string): Promise<number> => {
      const { access_token: token } = await client.clientCredentialsGrant(config, { scope });
      return (await fetch(stack.replicas[0].url + PATH, { headers: { authorization: `Bearer ${token}` } }))
        .status;
    };
    expect(await statusBy('tools.read')).toBe(403);
    expect(await statusBy('administration')).toBe(200);
    const config2 = await register(stack);
    const { access_token: token } = await authorize(config2, stack.owner);
    const byThirdParty = await fetch(stack.replicas[0].url + PATH, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(byThirdParty.status).toBe(403);
  });

  test('stop within two seconds of their deletion; deleting again is 404', async () => {
    const made = await asOwner('POST', PATH, { name: 'Short-lived' });
    const token = await tokenOf(made);
    expect((await whoami(token)).status).toBe(200);
    const path = `${PATH}/${String(made.body['clientId'])}`;
    expect((await asOwner('DELETE', path)).status).toBe(204);
    await vi.waitFor(async () => expect((await whoami(token)).status).toBe(401), 2000);
    await expect(tokenOf(made)).rejects.toMatchObject({ status: 401 });
    expect(await asOwner('DELETE', path)).toMatchObject({ status: 404, body: { errorCode: 'NOT_FOUND' } });
    expect((await asOwner('DELETE', `${PATH}/fairlead-cli`)).status).toBe(404);
  });

  test.each([
    ['an unknown user', { userId: 'usr_0000000000000000000000' }, 404, 'NOT_FOUND'],
    [
      'authorization_code without an address',
      { grantTypes: ['authorization_code'] },
      400,
      'VALIDATION_ERROR',
    ],
    [
      'an address without authorization_code',
      { redirectUris: ['https://a.example/'] },
      400,
      'VALIDATION_ERROR',
    ],
    ['refresh_token alone', { grantTypes: ['refresh_token'] }, 400, 'VALIDATION_ERROR'],
    [
      'an address over plain http',
      { grantTypes: ['authorization_code'], redirectUris: ['http://a.example/'] },
      400,
      'VALIDATION_ERROR',
    ],
    ['no grant', { grantTypes: [] }, 400, 'VALIDATION_ERROR'],
    ['another grant', { grantTypes: ['password'] }, 400, 'INVALID_ENUM_VALUE'],
    ['another scope', { scopes: ['everything'] }, 400, 'INVALID_ENUM_VALUE'],
  ])('are not made with %s', async (_name, changes, status, errorCode) => {
    const answer = await asOwner('POST', PATH, { name: 'Refused', ...changes });
    expect(answer).toMatchObject({ status, body: { errorCode } });
  });

  test('are listed by pages, those of the account only', async () => {
    const { items, totalCount } = (await asOwner('GET', `${PATH}?top=1`)).body;
    expect(items).toHaveLength(1);
    expect(Number(totalCount)).toBeGreaterThan(1);
    const stranger = await stack.identity.createAccountWithOwner(testContext(), {
      name: 'Two',
      ownerEmail: 'owner@two.example',
    });
    const headers = { 'x-api-key': stranger.apiKey.reveal() };
    expect((await call(stack.replicas[0], 'GET', PATH, { headers })).body).toMatchObject({
      items: [],
      totalCount: 0,
    });
  });
});
