import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import type { Role } from '@fairlead/access/permissions';
import { DefaultLicence } from '@fairlead/contracts/identity/v1/account_pb';
import { AccountService } from '@fairlead/contracts/identity/v1/account_service_pb';
import { ApiKeyService } from '@fairlead/contracts/identity/v1/api_key_service_pb';
import { Role as RoleMessage } from '@fairlead/contracts/identity/v1/user_pb';
import { UserService } from '@fairlead/contracts/identity/v1/user_service_pb';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TEST_OWNER, call } from '@fairlead/rest-kit/testing/edge';
import { startGatewayEdge } from '../../testing/edge.ts';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { accountMessage, apiKeyMessage, userMessage } from '@fairlead/rest-records/testing/identity-messages';
import { MADE_AT } from '@fairlead/rest-records/testing/messages';
import { startRemote } from '../../testing/remote.ts';
import { createApiKey } from './create-api-key.ts';
import { createUser } from './create-user.ts';
import { getAccount } from './get-account.ts';
import { listApiKeys } from './list-api-keys.ts';
import { listUsers } from './list-users.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { updateAccount } from './update-account.ts';
import { updateUser } from './update-user.ts';

const ROUTES = [
  getAccount,
  updateAccount,
  listUsers,
  createUser,
  updateUser,
  listApiKeys,
  createApiKey,
  revokeApiKey,
];
const PASSWORD = 'correct horse battery';
const TIMES = { createdAt: MADE_AT, updatedAt: MADE_AT };

let remote: Awaited<ReturnType<typeof startRemote>>;
/** The requests that reached the service; empty if the edge refused. */
let asked: object[];
let callers: unknown[];
/** The error with which the service refuses, if it does. */
let refusal: ApiError | undefined;
let edges: TestEdge[];
let edge: TestEdge;

beforeAll(async () => {
  const answer = <T>(request: object, h: Parameters<typeof requestContext>[0], response: T): T => {
    const { $typeName: _type, ...members } = request as { $typeName?: string };
    asked.push(members);
    callers.push(requestContext(h).caller);
    if (refusal !== undefined) throw refusal;
    return response;
  };
  const account = { account: accountMessage({ isRbacEnabled: true }) };
  const user = { user: userMessage({ role: RoleMessage.DEVELOPER, isActive: false }) };
  remote = await startRemote((router) =>
    router
      .service(AccountService, {
        getAccount: (request, h) => answer(request, h, account),
        updateAccount: (request, h) => answer(request, h, account),
      })
      .service(UserService, {
        listUsers: (request, h) => answer(request, h, { items: [userMessage()], totalCount: 7 }),
        createUser: (request, h) => answer(request, h, user),
        updateUser: (request, h) => answer(request, h, user),
      })
      .service(ApiKeyService, {
        listApiKeys: (request, h) =>
          answer(request, h, {
            items: [apiKeyMessage({ lastUsedAt: timestampFromDate(new Date(MADE_AT)) })],
            totalCount: 7,
          }),
        createApiKey: (request, h) =>
          answer(request, h, { record: apiKeyMessage(), apiKey: 'fairlead_once' }),
        revokeApiKey: (request, h) => answer(request, h, {}),
      }),
  );
});
afterAll(() => remote.close());

beforeEach(async () => {
  [asked, callers, refusal, edges] = [[], [], undefined, []];
  edge = await edgeFor('owner');
});
afterEach(() => Promise.all(edges.map((it) => it.close())));

/** An edge whose caller has that role. */
async function edgeFor(role: Role, isAdministrationGranted = true): Promise<TestEdge> {
  const started = await startGatewayEdge({
    routes: ROUTES,
    services: remote.services,
    principal: { ...TEST_OWNER, roles: [role], isAdministrationGranted },
  });
  edges.push(started);
  return started;
}

const post = (path: string, json: unknown) => call(edge, 'POST', path, { json });
const patch = (path: string, json: unknown) => call(edge, 'PATCH', path, { json });

describe('who may', () => {
  test.each(['developer', 'member'] as const)('a %s may not, by any route', async (role) => {
    const refused = await edgeFor(role);
    for (const { method, path } of ROUTES) {
      const { status, body } = await call(
        refused,
        method.toUpperCase(),
        path.replaceAll(/\{\w+\}/g, 'usr_1'),
      );
      expect([path, status, body['errorCode']]).toEqual([path, 403, 'FORBIDDEN']);
    }
    expect(asked).toEqual([]);
  });

  test('an owner whose token lacks the scope may not, an admin with a key may', async () => {
    const tokenOfOwner = await edgeFor('owner', false);
    expect((await call(tokenOfOwner, 'GET', '/admin/v1/account')).status).toBe(403);
    const admin = await edgeFor('admin');
    expect((await call(admin, 'GET', '/admin/v1/account')).status).toBe(200);
  });

  test('the service is called on behalf of the caller, who decides what the service allows', async () => {
    await call(await edgeFor('admin'), 'GET', '/admin/v1/users');
    const { accountId, userId } = TEST_OWNER;
    expect(callers).toMatchObject([{ kind: 'user', accountId, userId, roles: ['admin'] }]);
  });
});

describe('/admin/v1/account', () => {
  const shown = {
    accountId: 'acc_1',
    name: 'Acme',
    isRbacEnabled: true,
    defaultLicence: 'active',
    maxConnectionsPerEndUser: 20,
    budgets: DEFAULT_BUDGETS,
    ...TIMES,
  };

  test('shows name, switches and budgets', async () => {
    const { status, body } = await call(edge, 'GET', '/admin/v1/account');
    expect(status).toBe(200);
    const { text: _text, ...account } = body;
    expect(account).toEqual(shown);
  });

  test('PATCH passes on what is given, and nothing else', async () => {
    const json = {
      isRbacEnabled: true,
      defaultLicence: 'none',
      budgets: { hourly: 2_147_483_647 },
      unknown: 1,
    };
    expect(await patch('/admin/v1/account', json)).toMatchObject({ status: 200, body: shown });
    await patch('/admin/v1/account', {});
    const [{ settings }, empty] = asked as [{ settings: object }, unknown];
    expect(settings).toMatchObject({
      isRbacEnabled: true,
      defaultLicence: DefaultLicence.NONE,
      budgets: { hourly: 2_147_483_647 },
    });
    expect(settings).not.toHaveProperty('name');
    expect(empty).toMatchObject({ settings: { defaultLicence: DefaultLicence.UNSPECIFIED } });
  });

  test.each([
    ['name', { name: '' }],
    ['name', { name: null }],
    ['name', { name: 'x'.repeat(201) }],
    ['isRbacEnabled', { isRbacEnabled: 'true' }],
    ['budgets.hourly', { budgets: { hourly: 0 } }],
    ['budgets.hourly', { budgets: { hourly: 1.5 } }],
    ['budgets.hourly', { budgets: { hourly: '5' } }],
    ['budgets.hourly', { budgets: { hourly: null } }],
    ['budgets.burstPerSecond', { budgets: { burstPerSecond: 2_147_483_648 } }],
    ['budgets', { budgets: [] }],
  ])('%s is checked: %j', async (field, json) => {
    const { status, body } = await patch('/admin/v1/account', json);
    expect(status).toBe(400);
    expect(body).toMatchObject({ errorCode: 'VALIDATION_ERROR', details: [{ field }] });
    expect(asked).toEqual([]);
  });

  test('a licence that is none is INVALID_ENUM_VALUE', async () => {
    const { body } = await patch('/admin/v1/account', { defaultLicence: 'expired' });
    expect(body).toMatchObject({ errorCode: 'INVALID_ENUM_VALUE', details: [{ field: 'defaultLicence' }] });
    expect(body['message']).toContain('active, none');
  });
});

describe('/admin/v1/users', () => {
  const shown = {
    userId: 'usr_1',
    email: 'olga@test.example',
    name: 'Olga',
    role: 'developer',
    isActive: false,
    ...TIMES,
  };

  test('are listed by pages', async () => {
    const { body } = await call(edge, 'GET', '/admin/v1/users?offset=3&top=2');
    expect(body).toMatchObject({
      items: [{ ...shown, role: 'owner', isActive: true }],
      totalCount: 7,
      offset: 3,
      top: 2,
    });
    expect(asked).toMatchObject([{ page: { offset: 3, top: 2 } }]);
  });

  test('POST answers 201 with the record, without the password', async () => {
    const json = { email: 'Mara@Test.example', name: 'Mara', password: PASSWORD, role: 'admin' };
    const { status, body } = await post('/admin/v1/users', json);
    expect(status).toBe(201);
    const { text, ...record } = body;
    expect(record).toEqual(shown);
    expect(asked).toMatchObject([
      {
        email: 'mara@test.example',
        name: 'Mara',
        password: PASSWORD,
        role: RoleMessage.ADMIN,
        isActive: true,
      },
    ]);
    expect(text).not.toContain(PASSWORD);
    expect(JSON.stringify(edge.lines)).not.toContain(PASSWORD);
  });

  test('POST by the e-mail alone makes an active member', async () => {
    await post('/admin/v1/users', { email: 'mara@test.example' });
    expect(asked).toEqual([{ email: 'mara@test.example', role: RoleMessage.MEMBER, isActive: true }]);
  });

  test.each([
    ['email', {}],
    ['email', { email: 'nobody' }],
    ['email', { email: null }],
    ['name', { email: 'a@b.example', name: '' }],
    ['password', { email: 'a@b.example', password: 'x'.repeat(7) }],
    ['password', { email: 'a@b.example', password: 'x'.repeat(201) }],
    ['password', { email: 'a@b.example', password: 123_456_789_012 }],
    ['isActive', { email: 'a@b.example', isActive: 1 }],
  ])('%s is checked: %j', async (field, json) => {
    const { status, body } = await post('/admin/v1/users', json);
    expect(status).toBe(400);
    expect(body).toMatchObject({ errorCode: 'VALIDATION_ERROR', details: [{ field }] });
  });

  test('a password of 8 characters is long enough', async () => {
    const json = { email: 'mara@test.example', password: 'x'.repeat(8) };
    expect((await post('/admin/v1/users', json)).status).toBe(201);
  });

  test('an unknown role is INVALID_ENUM_VALUE, listing the roles', async () => {
    const { body } = await post('/admin/v1/users', { email: 'a@b.example', role: 'root' });
    expect(body).toMatchObject({ errorCode: 'INVALID_ENUM_VALUE', details: [{ field: 'role' }] });
    expect(body['message']).toContain('owner, admin, developer, member');
  });

  test('PATCH is one call that passes on what is given, and nothing else', async () => {
    const json = { name: 'Mara', role: 'developer', isActive: false, password: PASSWORD };
    const { status, body } = await patch('/admin/v1/users/usr_1', json);
    expect([status, body]).toMatchObject([200, shown]);
    await patch('/admin/v1/users/usr_1', {});
    expect(asked).toEqual([
      { id: 'usr_1', name: 'Mara', role: RoleMessage.DEVELOPER, isActive: false, password: PASSWORD },
      { id: 'usr_1', role: RoleMessage.UNSPECIFIED },
    ]);
    expect(JSON.stringify(edge.lines)).not.toContain(PASSWORD);
  });

  test('an address that was made for an owner without one may be sent back', async () => {
    const email = 'owner@acc-0198c9e05f0a7c3b9d4e6f70.invalid';
    expect((await patch('/admin/v1/users/usr_1', { email })).status).toBe(200);
  });

  test('what the service refuses is answered as it says', async () => {
    refusal = new ApiError('CONFLICT', 'The account needs an active owner.');
    const { status, body } = await patch('/admin/v1/users/usr_1', { role: 'member' });
    expect([status, body['errorCode'], body['message']]).toEqual([409, 'CONFLICT', refusal.message]);
    refusal = new ApiError(
      'FORBIDDEN',
      'Only an owner may create, change or act for an owner, or revoke what belongs to one.',
    );
    expect((await patch('/admin/v1/users/usr_1', {})).body['errorCode']).toBe('FORBIDDEN');
  });

  test('unknown users and ids of the wrong form are the same 404', async () => {
    refusal = notFound('user');
    for (const userId of ['usr_unknown', 'key_1', '1']) {
      const { status, body } = await patch(`/admin/v1/users/${userId}`, { name: 'x' });
      expect([status, body['message']]).toEqual([404, 'The user does not exist.']);
    }
  });
});

describe('/admin/v1/api-keys', () => {
  const shown = {
    id: 'key_1',
    name: 'CI',
    userId: 'usr_1',
    maskedKey: 'fairlead_abcd…',
    scopes: null,
    toolsetId: null,
    expiresAt: null,
    lastUsedAt: null,
    ...TIMES,
  };

  test('are listed by pages', async () => {
    const { body } = await call(edge, 'GET', '/admin/v1/api-keys');
    expect(body).toMatchObject({
      items: [{ ...shown, lastUsedAt: MADE_AT }],
      totalCount: 7,
      offset: 0,
      top: 100,
    });
  });

  test('POST answers 201 with the key, which is in no log', async () => {
    const expiresAt = new Date('2999-01-01T00:00:00.500Z');
    const { status, body } = await post('/admin/v1/api-keys', { name: 'CI', userId: 'usr_1', expiresAt });
    expect(status).toBe(201);
    const { text: _text, ...record } = body;
    expect(record).toEqual({ ...shown, apiKey: 'fairlead_once' });
    expect(asked).toMatchObject([{ name: 'CI', userId: 'usr_1', expiresAt: timestampFromDate(expiresAt) }]);
    expect(JSON.stringify(edge.lines)).not.toContain('fairlead_once');
  });

  test('POST with nulls makes a key of the caller that does not expire', async () => {
    const nulls = { userId: null, expiresAt: null, scopes: null, toolsetId: null };
    await post('/admin/v1/api-keys', { name: 'CI', ...nulls });
    expect(asked).toEqual([{ name: 'CI' }]);
  });

  test('DELETE answers 204; an unknown key and an id of the wrong form are the same 404', async () => {
    expect((await call(edge, 'DELETE', '/admin/v1/api-keys/key_1')).status).toBe(204);
    expect(asked).toEqual([{ id: 'key_1' }]);
    refusal = notFound('API key');
    for (const id of ['key_1', '1']) {
      const { status, body } = await call(edge, 'DELETE', `/admin/v1/api-keys/${id}`);
      expect([status, body['message']]).toEqual([404, 'The API key does not exist.']);
    }
  });

  test.each([
    ['name', {}],
    ['name', { name: '' }],
    ['userId', { name: 'x', userId: '' }],
    ['userId', { name: 'x', userId: 'acc_1' }],
    ['scopes', { name: 'x', scopes: 'tools.read' }],
    ['toolsetId', { name: 'x', toolsetId: '1' }],
    ['scope', { name: 'x', scope: ['tools.read'] }],
    ['expiresAt', { name: 'x', expiresAt: 'tomorrow' }],
    ['expiresAt', { name: 'x', expiresAt: '9999-12-31T23:59:59-01:00' }],
  ])('%s is checked: %j', async (field, json) => {
    const { status, body } = await post('/admin/v1/api-keys', json);
    expect(status).toBe(400);
    expect(body).toMatchObject({ errorCode: 'VALIDATION_ERROR', details: [{ field }] });
    expect(asked).toEqual([]);
  });
});
