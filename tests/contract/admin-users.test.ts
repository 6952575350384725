import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, createApiKey, createUser, expectStatus, removeAccount } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { del, expectError, expectList, get, patch, post } from './support/api.ts';
import { row } from './support/row.ts';

const path = '/admin/v1/users';
const whoami = '/v1/auth/whoami';

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

const newUser = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  email: `${randomUUID()}@people.example`,
  name: 'A person',
  password: randomUUID(),
  role: 'member',
  ...more,
});

describe('users', () => {
  test('[completion.administration.5] a user is created active, listed newest first, and never shown with a password', async () => {
    const body = newUser({ email: `Mixed.Case.${randomUUID()}@People.example` });
    const created = await post(path, body, account);
    expect(created.status, created.text).toBe(201);
    const { userId, createdAt, updatedAt, ...user } = created.body;
    expect(userId).toMatch(/^usr_/);
    expect(user).toMatchObject({
      email: String(body['email']).toLowerCase(),
      name: 'A person',
      role: 'member',
      isActive: true,
    });
    expect(new Date(createdAt).toISOString()).toBe(updatedAt);
    expect(created.text).not.toContain(body['password']);
    expect(Object.keys(created.body)).not.toContain('password');
    const { items, totalCount } = expectList(await get(path, account));
    expect(items[0]).toEqual(created.body);
    expect(totalCount).toBe(2);
    expect(items[1]).toMatchObject({ email: account.ownerEmail, role: 'owner', isActive: true });
  });

  test('without a name, role or password there is a member called as the address, who only has keys', async () => {
    const created = await post(path, { email: `plain-${account.accountId}@people.example` }, account);
    expect(created.status, created.text).toBe(201);
    expect(created.body).toMatchObject({ name: `plain-${account.accountId}`.toLowerCase(), role: 'member' });
  });

  test('[completion.administration.5] a change names what changes', async () => {
    const { userId, updatedAt, ...user } = (await post(path, newUser(), account)).body;
    const changed = await patch(`${path}/${userId}`, { name: 'Renamed', role: 'developer' }, account);
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body).toMatchObject({ ...user, name: 'Renamed', role: 'developer' });
    expect(changed.body.updatedAt > updatedAt).toBe(true);
    expect((await patch(`${path}/${userId}`, {}, account)).body).toMatchObject({ name: 'Renamed' });
  });

  test('an e-mail address belongs to one user of the account, whatever its case', async () => {
    const email = `${randomUUID()}@people.example`;
    expectStatus(await post(path, newUser({ email }), account), 201);
    expectError(await post(path, newUser({ email: email.toUpperCase() }), account), 409, 'CONFLICT');
    const { userId } = (await post(path, newUser(), account)).body;
    expectError(await patch(`${path}/${userId}`, { email }, account), 409, 'CONFLICT');
  });

  test('an account keeps its last active owner', async () => {
    const { items } = expectList(await get(`${path}?top=100`, account));
    const owner = items.find(({ role }) => role === 'owner').userId;
    expectError(await patch(`${path}/${owner}`, { role: 'admin' }, account), 409, 'CONFLICT');
    expectError(await patch(`${path}/${owner}`, { isActive: false }, account), 409, 'CONFLICT');
    expect((await get(whoami, account)).body.roles).toEqual(['owner']);
  });

  test('[completion.administration.11] an admin can neither make nor change an owner, whatever the change', async () => {
    const admin = await createUser(account, { role: 'admin' });
    const second = await createUser(account, { role: 'owner' }); // not the last owner, whom nobody may demote
    expectError(await post(path, newUser({ role: 'owner' }), admin), 403, 'FORBIDDEN');
    expectError(await patch(`${path}/${admin.userId}`, { role: 'owner' }, admin), 403, 'FORBIDDEN');
    const changes = [
      { name: 'Mine' },
      { email: `${randomUUID()}@people.example` },
      { password: randomUUID() },
      { role: 'member' },
      { isActive: false },
      { role: 'member', isActive: false },
      {},
    ];
    const before = expectList(await get(`${path}?top=100`, account)).items;
    for (const change of changes)
      expectError(await patch(`${path}/${second.userId}`, change, admin), 403, 'FORBIDDEN');
    expect(expectList(await get(`${path}?top=100`, account)).items).toEqual(before);
    expect((await get(whoami, second)).body.roles).toEqual(['owner']);
    expectStatus(await post(path, newUser({ role: 'developer' }), admin), 201);
    expectStatus(await patch(`${path}/${second.userId}`, { role: 'member' }, account), 200);
  });

  test('[completion.administration.10] an admin can neither create nor revoke a key or an OAuth client of an owner; an owner can', async () => {
    const admin = await createUser(account, { role: 'admin' });
    const owner = (await get(whoami, account)).body.userId;
    const key = await createApiKey(account);
    const machine = { name: 'Machine', grantTypes: ['client_credentials'], scopes: ['connections.read'] };
    const client = expectStatus(await post('/admin/v1/oauth-clients', machine, account), 201).body;
    for (const [address, body] of [
      ['/admin/v1/api-keys', { name: 'Of the owner' }],
      ['/admin/v1/oauth-clients', machine],
    ] as const)
      expectError(await post(address, { ...body, userId: owner }, admin), 403, 'FORBIDDEN');
    const belongings = [`/admin/v1/api-keys/${key.id}`, `/admin/v1/oauth-clients/${client.clientId}`];
    for (const address of belongings) expectError(await del(address, admin), 403, 'FORBIDDEN');
    expect((await get(whoami, key)).status).toBe(200);
    const listed = await get('/admin/v1/oauth-clients?top=100', admin);
    expect(expectList(listed).items.map(({ clientId }) => clientId)).toContain(client.clientId);
    const own = await createApiKey(admin);
    expectStatus(await del(`/admin/v1/api-keys/${own.id}`, admin), 204);
    for (const address of belongings) expectStatus(await del(address, account), 204);
  });

  test.each([
    [{ email: 'nobody' }, 'VALIDATION_ERROR', 'email'],
    [{ email: undefined }, 'VALIDATION_ERROR', 'email'],
    [{ name: '' }, 'VALIDATION_ERROR', 'name'],
    [{ role: 'king' }, 'INVALID_ENUM_VALUE', 'role'],
    [{ role: 5 }, 'VALIDATION_ERROR', 'role'],
    [{ password: 'short' }, 'VALIDATION_ERROR', 'password'],
    [{ password: 5 }, 'VALIDATION_ERROR', 'password'],
    [{ isActive: 'no' }, 'VALIDATION_ERROR', 'isActive'],
  ])('%o is refused', async (wrong, errorCode, field) => {
    expectError(await post(path, newUser(wrong), account), 400, errorCode, [field]);
  });
});

describe('whether a user is active', () => {
  row(
    ['authentication.9', 'errors.24', 'completion.everywhere.64'],
    'an inactive user’s keys get ACCOUNT_USER_INACTIVE within two seconds, on every route, and work again after reactivation',
    async () => {
      const user = await createUser(account, { role: 'developer' });
      const second = await createApiKey(account, { userId: user.userId });
      expect((await get(whoami, user)).status).toBe(200);
      expect((await patch(`${path}/${user.userId}`, { isActive: false }, account)).body.isActive).toBe(false);
      await expect.poll(async () => (await get(whoami, user)).status).toBe(403);
      for (const { apiKey } of [user, second]) {
        for (const address of [whoami, '/v1/connections', '/v1/tools', '/admin/v1/account']) {
          const refused = await get(address, { apiKey });
          expectError(refused, 403, 'ACCOUNT_USER_INACTIVE');
          expect(refused.headers.get('ratelimit')).toContain('"hourly"');
          expect(refused.headers.get('ratelimit-policy')).toContain('"hourly"');
        }
      }
      expectStatus(await patch(`${path}/${user.userId}`, { isActive: true }, account), 200);
      await expect.poll(async () => (await get(whoami, user)).status).toBe(200);
      expect((await get(whoami, second)).status).toBe(200);
    },
  );

  row(
    ['authentication.2', 'completion.everywhere.64'],
    'a new role holds for the keys a user already has',
    async () => {
      const user = await createUser(account, { role: 'member' });
      expectError(await get('/admin/v1/account', user), 403, 'FORBIDDEN');
      expectStatus(await patch(`${path}/${user.userId}`, { role: 'admin' }, account), 200);
      await expect.poll(async () => (await get('/admin/v1/account', user)).status).toBe(200);
      expect((await get(whoami, user)).body.roles).toEqual(['admin']);
    },
  );
});
