import { randomBase62 } from '@fairlead/service-kit/ids';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Role } from '@fairlead/access/permissions';
import type { IdentityAdministration } from 'CROSS:services/identity/src/identity-administration.ts';
import { identityCollections } from 'CROSS:services/identity/src/storage/identity-schema.ts';
import { testAdministration } from 'CROSS:services/identity/src/testing/administration.ts';
import type { CreatedAccount } from 'CROSS:services/identity/src/use-cases/create-account.ts';
import { TEST_OWNER, awayServices, call, startEdge } from '../../testing/edge.ts';
import type { TestEdge } from '../../testing/edge.ts';
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
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const anyTime = expect.stringMatching(TIME) as unknown;
const PASSWORD = 'correct horse battery';

let store: Awaited<ReturnType<typeof testStore>>;
let identity: IdentityAdministration;
let made: CreatedAccount;
let edges: TestEdge[];
let edge: TestEdge;

beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), identityCollections);
  identity = testAdministration(store);
});
afterAll(() => store.drop());

beforeEach(async () => {
  edges = [];
  made = await identity.createAccountWithOwner(testContext(), {
    name: 'One',
    ownerEmail: 'owner@one.example',
  });
  edge = await edgeFor('owner', made.owner.id);
});
afterEach(() => Promise.all(edges.map((it) => it.close())));

/** An edge whose caller is that user. */
async function edgeFor(role: Role, userId: string, isAdministrationGranted = true): Promise<TestEdge> {
  const started = await startEdge({
    routes: ROUTES,
    services: awayServices({ identity }),
    principal: { ...TEST_OWNER, accountId: made.account.id, userId, roles: [role], isAdministrationGranted },
  });
  edges.push(started);
  return started;
}

const post = (path: string, json: unknown) => call(edge, 'POST', path, { json });
const patch = (path: string, json: unknown) => call(edge, 'PATCH', path, { json });

describe('who may', () => {
  test.each(['developer', 'member'] as const)('a %s may not, by any route', async (role) => {
    const refused = await edgeFor(role, made.owner.id);
    for (const { method, path } of ROUTES) {
      const { status, body } = await call(
        refused,
        method.toUpperCase(),
        path.replaceAll(/\{\w+\}/g, 'usr_1'),
      );
      expect([path, status, body['errorCode']]).toEqual([path, 403, 'FORBIDDEN']);
    }
  });

  test('an owner whose token lacks the scope may not, an admin with a key may', async () => {
    const tokenOfOwner = await edgeFor('owner', made.owner.id, false);
    expect((await call(tokenOfOwner, 'GET', '/admin/v1/account')).status).toBe(403);
    const admin = await edgeFor('admin', made.owner.id);
    expect((await call(admin, 'GET', '/admin/v1/account')).status).toBe(200);
  });
});

describe('/admin/v1/account', () => {
  const DEFAULTS = {
    burstPerSecond: 50,
    hourly: 20_000,
    searchPerSecond: 5,
    searchPerHour: 1_000,
    triggerTestPerMinute: 10,
    hookPerSecond: 100,
  };

  test('shows name, switches and budgets', async () => {
    const { status, body } = await call(edge, 'GET', '/admin/v1/account');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      accountId: made.account.id,
      name: 'One',
      isRbacEnabled: false,
      defaultLicence: 'active',
      budgets: DEFAULTS,
      createdAt: anyTime,
      updatedAt: anyTime,
    });
  });

  test('PATCH changes what is given; budgets merge', async () => {
    const { status, body } = await patch('/admin/v1/account', {
      isRbacEnabled: true,
      defaultLicence: 'none',
      budgets: { hourly: 2_147_483_647 },
      unknown: 1,
    });
    expect(status).toBe(200);
    const changed = {
      name: 'One',
      isRbacEnabled: true,
      defaultLicence: 'none',
      budgets: { ...DEFAULTS, hourly: 2_147_483_647 },
    };
    expect(body).toMatchObject(changed);
    expect((await call(edge, 'GET', '/admin/v1/account')).body).toMatchObject(changed);
    expect((await patch('/admin/v1/account', {})).body).toMatchObject(changed);
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
  });

  test('a licence that is none is INVALID_ENUM_VALUE', async () => {
    const { body } = await patch('/admin/v1/account', { defaultLicence: 'expired' });
    expect(body).toMatchObject({ errorCode: 'INVALID_ENUM_VALUE', details: [{ field: 'defaultLicence' }] });
    expect(body['message']).toContain('active, none');
  });
});

describe('/admin/v1/users', () => {
  test('POST answers 201 with the record, without the password; it is listed first', async () => {
    const email = `Mara.${randomBase62(6)}@Test.example`;
    const { status, body } = await post('/admin/v1/users', { email, name: 'Mara', password: PASSWORD });
    expect(status).toBe(201);
    const { text, ...record } = body;
    expect(record).toEqual({
      userId: expect.stringMatching(/^usr_/) as unknown,
      email: email.toLowerCase(),
      name: 'Mara',
      role: 'member',
      isActive: true,
      createdAt: anyTime,
      updatedAt: anyTime,
    });
    expect(text).not.toContain(PASSWORD);
    const list = await call(edge, 'GET', '/admin/v1/users?top=1');
    expect(list.body).toMatchObject({ items: [record], totalCount: 2, offset: 0, top: 1 });
    expect(JSON.stringify(edge.lines)).not.toContain(PASSWORD);
  });

  test('the same e-mail again, in another case, is 409', async () => {
    const { status, body } = await post('/admin/v1/users', { email: 'OWNER@one.example' });
    expect([status, body['errorCode']]).toEqual([409, 'CONFLICT']);
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
    const email = `${randomBase62(6)}@test.example`;
    expect((await post('/admin/v1/users', { email, password: 'x'.repeat(8) })).status).toBe(201);
  });

  test('an unknown role is INVALID_ENUM_VALUE, listing the roles', async () => {
    const { body } = await post('/admin/v1/users', { email: 'a@b.example', role: 'root' });
    expect(body).toMatchObject({ errorCode: 'INVALID_ENUM_VALUE', details: [{ field: 'role' }] });
    expect(body['message']).toContain('owner, admin, developer, member');
  });

  test('PATCH changes what is given; the last owner stays one', async () => {
    const { body: user } = await post('/admin/v1/users', { email: 'mara@test.example' });
    const path = `/admin/v1/users/${String(user['userId'])}`;
    expect(await patch(path, { name: 'Mara', role: 'developer', isActive: false })).toMatchObject({
      status: 200,
      body: { email: 'mara@test.example', name: 'Mara', role: 'developer', isActive: false },
    });
    const { status, body } = await patch(`/admin/v1/users/${made.owner.id}`, { role: 'member' });
    expect([status, body['errorCode']]).toEqual([409, 'CONFLICT']);
  });

  test('an address that was made for an owner without one may be sent back', async () => {
    const { account, owner } = await identity.createAccountWithOwner(testContext(), { name: 'Two' });
    const own = await startEdge({
      routes: ROUTES,
      services: awayServices({ identity }),
      principal: { ...TEST_OWNER, accountId: account.id, userId: owner.id },
    });
    edges.push(own);
    const json = { email: owner.email };
    expect((await call(own, 'PATCH', `/admin/v1/users/${owner.id}`, { json })).status).toBe(200);
  });

  test('an admin may not touch an owner', async () => {
    const { body: admin } = await post('/admin/v1/users', { email: 'admin@test.example', role: 'admin' });
    const asAdmin = await edgeFor('admin', String(admin['userId']));
    const json = { password: PASSWORD };
    const { status, body } = await call(asAdmin, 'PATCH', `/admin/v1/users/${made.owner.id}`, { json });
    expect([status, body['errorCode']]).toEqual([403, 'FORBIDDEN']);
  });

  test('unknown users, those of another account and ids of the wrong form are the same 404', async () => {
    const other = await identity.createAccountWithOwner(testContext(), {
      name: 'Two',
      ownerEmail: 'owner@two.example',
    });
    for (const userId of ['usr_unknown', other.owner.id, 'key_1', '1']) {
      const { status, body } = await patch(`/admin/v1/users/${userId}`, { name: 'x' });
      expect([status, body['message']]).toEqual([404, 'The user does not exist.']);
    }
  });
});

describe('/admin/v1/api-keys', () => {
  test('POST answers 201 with the key, which is shown once', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const { status, body } = await post('/admin/v1/api-keys', { name: 'CI', expiresAt });
    expect(status).toBe(201);
    const { text: _text, apiKey, ...record } = body;
    expect(apiKey).toMatch(/^fairlead_[0-9A-Za-z]{38}$/);
    expect(record).toEqual({
      id: expect.stringMatching(/^key_/) as unknown,
      name: 'CI',
      userId: made.owner.id,
      maskedKey: `${String(apiKey).slice(0, 13)}…`,
      expiresAt,
      lastUsedAt: null,
      createdAt: anyTime,
      updatedAt: anyTime,
    });
    const list = await call(edge, 'GET', '/admin/v1/api-keys');
    expect(list.body).toMatchObject({ totalCount: 2, offset: 0, top: 100 });
    expect(list.body['items']).toContainEqual(record);
    expect(list.body['text']).not.toContain(apiKey);
    expect(JSON.stringify(edge.lines)).not.toContain(apiKey);
  });

  test('DELETE answers 204, and then the key does not exist', async () => {
    const { body } = await post('/admin/v1/api-keys', { name: 'CI', userId: null, expiresAt: null });
    const path = `/admin/v1/api-keys/${String(body['id'])}`;
    expect((await call(edge, 'DELETE', path)).status).toBe(204);
    const again = await call(edge, 'DELETE', path);
    expect([again.status, again.body['message']]).toEqual([404, 'The API key does not exist.']);
    const unknown = await call(edge, 'DELETE', '/admin/v1/api-keys/1');
    expect([unknown.status, unknown.body['message']]).toEqual([404, 'The API key does not exist.']);
  });

  test.each([
    ['name', {}],
    ['name', { name: '' }],
    ['userId', { name: 'x', userId: '' }],
    ['userId', { name: 'x', userId: 'acc_1' }],
    ['expiresAt', { name: 'x', expiresAt: '2020-01-01T00:00:00Z' }],
    ['expiresAt', { name: 'x', expiresAt: 'tomorrow' }],
    ['expiresAt', { name: 'x', expiresAt: '9999-12-31T23:59:59-01:00' }],
  ])('%s is checked: %j', async (field, json) => {
    const { status, body } = await post('/admin/v1/api-keys', json);
    expect(status).toBe(400);
    expect(body).toMatchObject({ errorCode: 'VALIDATION_ERROR', details: [{ field }] });
    expect((await call(edge, 'GET', '/admin/v1/api-keys')).body).toMatchObject({ totalCount: 1 });
  });

  test('a key of an unknown user is 404, one of an owner made by an admin 403', async () => {
    const unknown = await post('/admin/v1/api-keys', { name: 'x', userId: 'usr_unknown' });
    expect([unknown.status, unknown.body['message']]).toEqual([404, 'The user does not exist.']);
    const asAdmin = await edgeFor('admin', 'usr_admin');
    const json = { name: 'x', userId: made.owner.id };
    expect((await call(asAdmin, 'POST', '/admin/v1/api-keys', { json })).status).toBe(403);
  });
});
