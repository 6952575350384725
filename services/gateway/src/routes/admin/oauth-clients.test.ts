import { DEFAULT_SCOPES } from '@fairlead/access/scopes';
import { OAuthClientService } from '@fairlead/contracts/identity/v1/oauth_client_service_pb';
import { ApiError, notFound, validationError } from '@fairlead/errors/api-error';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TEST_OWNER, call } from '@fairlead/rest-kit/testing/edge';
import { startGatewayEdge } from '../../testing/edge.ts';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { oauthClientMessage } from '@fairlead/rest-records/testing/identity-messages';
import { MADE_AT } from '@fairlead/rest-records/testing/messages';
import { startRemote } from '../../testing/remote.ts';
import { createOAuthClient } from './create-oauth-client.ts';
import { deleteOAuthClient } from './delete-oauth-client.ts';
import { listOAuthClients } from './list-oauth-clients.ts';

const PATH = '/admin/v1/oauth-clients';
const ROUTES = [listOAuthClients, createOAuthClient, deleteOAuthClient];
const shown = {
  clientId: 'client_1',
  name: 'Nightly job',
  redirectUris: [],
  grantTypes: ['client_credentials'],
  scopes: ['tools.read'],
  userId: 'usr_1',
  createdAt: MADE_AT,
  updatedAt: MADE_AT,
};

let remote: Awaited<ReturnType<typeof startRemote>>;
/** The requests that reached the service; empty if the edge refused. */
let asked: object[];
let refusal: ApiError | undefined;
let edge: TestEdge;

beforeAll(async () => {
  const answer = <T>(request: object, response: T): T => {
    asked.push(request);
    if (refusal !== undefined) throw refusal;
    return response;
  };
  remote = await startRemote((router) =>
    router.service(OAuthClientService, {
      listOAuthClients: (request) => answer(request, { items: [oauthClientMessage()], totalCount: 7 }),
      createOAuthClient: (request) =>
        answer(request, { client: oauthClientMessage(), clientSecret: 'fairlead_secret_once' }),
      deleteOAuthClient: (request) => answer(request, {}),
    }),
  );
  edge = await startGatewayEdge({ routes: ROUTES, services: remote.services });
});
beforeEach(() => {
  [asked, refusal] = [[], undefined];
});
afterAll(async () => {
  await edge.close();
  await remote.close();
});

describe('OAuth clients of an account', () => {
  test('are made with the caller as their user, readers of everything by default, and show their secret once', async () => {
    const { status, body } = await call(edge, 'POST', PATH, { json: { name: 'Nightly job' } });
    const { text: _text, ...record } = body;
    expect([status, record]).toEqual([201, { ...shown, clientSecret: 'fairlead_secret_once' }]);
    expect(asked).toMatchObject([
      { name: 'Nightly job', redirectUris: [], grantTypes: ['client_credentials'], scopes: DEFAULT_SCOPES },
    ]);
    expect(asked[0]).not.toHaveProperty('userId');
    expect(JSON.stringify(edge.lines)).not.toContain('fairlead_secret_once');
  });

  test('are made as they were asked for, each scope once', async () => {
    const json = {
      name: 'Web',
      userId: 'usr_2',
      scopes: ['tools.read', 'administration', 'tools.read'],
      grantTypes: ['authorization_code', 'refresh_token', 'authorization_code'],
      redirectUris: ['https://a.example/'],
    };
    await call(edge, 'POST', PATH, { json });
    expect(asked).toMatchObject([
      {
        userId: 'usr_2',
        scopes: ['tools.read', 'administration'],
        grantTypes: ['authorization_code', 'refresh_token'],
        redirectUris: ['https://a.example/'],
      },
    ]);
  });

  test('are listed by pages', async () => {
    const { body } = await call(edge, 'GET', `${PATH}?offset=2&top=1`);
    expect(body).toMatchObject({ items: [shown], totalCount: 7, offset: 2, top: 1 });
    expect(asked).toMatchObject([{ page: { offset: 2, top: 1 } }]);
  });

  test('are deleted; an unknown one and an id of the wrong form are the same 404', async () => {
    expect((await call(edge, 'DELETE', `${PATH}/client_1`)).status).toBe(204);
    expect(asked).toMatchObject([{ id: 'client_1' }]);
    refusal = notFound('OAuth client');
    for (const id of ['client_1', 'fairlead-cli']) {
      const { status, body } = await call(edge, 'DELETE', `${PATH}/${id}`);
      expect([status, body['message']]).toEqual([404, 'The OAuth client does not exist.']);
    }
  });

  test.each([
    ['a bad user id', { userId: 'key_1' }, 'VALIDATION_ERROR'],
    ['no grant', { grantTypes: [] }, 'VALIDATION_ERROR'],
    ['another grant', { grantTypes: ['password'] }, 'INVALID_ENUM_VALUE'],
    ['another scope', { scopes: ['everything'] }, 'INVALID_ENUM_VALUE'],
  ])('are not made with %s', async (_name, changes, errorCode) => {
    const answer = await call(edge, 'POST', PATH, { json: { name: 'Refused', ...changes } });
    expect(answer).toMatchObject({ status: 400, body: { errorCode } });
    expect(asked).toEqual([]);
  });

  test('that the service refuses are answered as it says', async () => {
    refusal = new ApiError('CONFLICT', 'An account can have at most 100 OAuth clients.');
    const { status, body } = await call(edge, 'POST', PATH, { json: { name: 'One too many' } });
    expect([status, body['message']]).toEqual([409, refusal.message]);
    refusal = validationError({ field: 'redirectUris[0]', issue: 'must be an https address' });
    const json = { name: 'Web', grantTypes: ['authorization_code'], redirectUris: ['http://a.example/'] };
    const { body: refused } = await call(edge, 'POST', PATH, { json });
    expect(refused).toMatchObject({ errorCode: 'VALIDATION_ERROR', details: refusal.details });
  });

  test.each(['developer', 'member'] as const)('are not for a %s', async (role) => {
    const limited = await startGatewayEdge({ routes: ROUTES, principal: { ...TEST_OWNER, roles: [role] } });
    expect((await call(limited, 'GET', PATH)).body['errorCode']).toBe('FORBIDDEN');
    await limited.close();
  });
});
