import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, createUser, expectStatus, removeAccount } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { call, del, expectError, expectList, get, patch, post, stack } from './support/api.ts';
import { row } from './support/row.ts';

const path = '/v1/auth-providers';
const method = { applicationSlug: 'sandbox-crm', authenticationId: 0 };

let account: TestAccount;
let serial = 0;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

function request(changed: Record<string, unknown> = {}): Record<string, unknown> {
  const { oauthClientId: Key1, oauthClientSecret: Key2 } = stack.sandboxCrm;
  return { name: `Provider ${(serial += 1)}`, ...method, values: { Key1, Key2 }, ...changed };
}

async function create(changed: Record<string, unknown> = {}): Promise<Record<string, any> & { id: number }> {
  return expectStatus(await post(path, request(changed), account), 201).body;
}

describe('An auth provider', () => {
  row(
    [
      'auth-provider.1',
      'auth-provider.2',
      'auth-provider.8',
      'identifiers-and-naming.6',
      'what-the-service-does.4',
      'completion.auth-providers.1',
      'completion.auth-providers.7',
      'completion.auth-providers.10',
    ],
    'is stored with its values by slot, and its secret is never returned',
    async () => {
      const { oauthClientId, oauthClientSecret } = stack.sandboxCrm;
      const created = await post(path, request({ name: 'Our client' }), account);
      expect(created.status, created.text).toBe(201);
      const { id, createdAt, updatedAt, ...record } = created.body;
      expect(id).toBeGreaterThanOrEqual(1);
      expect(createdAt).toBe(updatedAt);
      expect(record).toEqual({
        name: 'Our client',
        ...method,
        isDefault: false,
        isEnabled: true,
        values: [
          { slot: 'Key1', label: 'Client id', isSecret: false, hasValue: true, value: oauthClientId },
          { slot: 'Key2', label: 'Client secret', isSecret: true, hasValue: true, value: null },
        ],
        scopes: null,
        lastError: null,
      });
      const read = await get(`${path}/${id}`, account);
      expect(read.body).toEqual(created.body);
      const listed = await get(path, account);
      expect(expectList(listed).items[0]).toEqual(created.body);
      for (const { text } of [created, read, listed]) expect(text).not.toContain(oauthClientSecret);
    },
  );

  row(
    ['auth-provider.6', 'completion.auth-providers.3', 'completion.everywhere.10'],
    'takes the slots that the sources list',
    async () => {
      const { items } = expectList(await get(`${path}/sources`, account));
      expect(items).toContainEqual({
        applicationSlug: 'sandbox-crm',
        applicationName: 'Sandbox CRM',
        methods: [0, 2].map((authenticationId) => ({
          authenticationId,
          authenticationName: authenticationId === 0 ? 'OAuth 2.0' : 'OAuth client credentials',
          slots: [
            { slot: 'Key1', label: 'Client id', isSecret: false, isRequired: true },
            { slot: 'Key2', label: 'Client secret', isSecret: true, isRequired: true },
          ],
        })),
      });
      expect(items.every(({ methods }) => methods.length > 0)).toBe(true);
    },
  );

  row(
    ['auth-provider.7', 'errors.15', 'completion.auth-providers.11'],
    'has no clientId and no clientSecret, wherever the body has one',
    async () => {
      for (const body of [
        request({ clientId: 'x' }),
        request({ clientSecret: null }),
        request({ values: { clientId: 'x', Key1: 'a', Key2: 'b' } }),
        request({ nested: [{ deeper: { clientSecret: 'x' } }] }),
        { clientId: 'x' },
      ]) {
        expectError(await post(path, body, account), 400, 'INVALID_AUTH_PROVIDER');
      }
      const { id } = await create();
      expectError(await patch(`${path}/${id}`, { clientSecret: 'x' }, account), 400, 'INVALID_AUTH_PROVIDER');
    },
  );

  test.each([
    ['an unknown slot', { values: { Key1: 'a', Key2: 'b', Key11: 'c' } }],
    [
      'a slot that the method does not take',
      { values: { Key1: 'a', Key2: 'b', BaseUrl: 'https://x.example' } },
    ],
    ['a required slot that is missing', { values: { Key1: 'a' } }],
    ['a required slot that is empty', { values: { Key1: 'a', Key2: '' } }],
    ['a method that is not OAuth 2', { authenticationId: 1 }],
    ['an application that takes no providers', { applicationSlug: 'postgresql', authenticationId: 0 }],
    ['the name none', { name: 'none' }],
    ['a name of digits', { name: '0042' }],
  ])(
    '[errors.15, completion.auth-providers.12, completion.auth-providers.13, completion.auth-providers.14, completion.auth-providers.21, completion.auth-providers.22] is INVALID_AUTH_PROVIDER with %s',
    async (_what, changed) => {
      const before = expectList(await get(path, account)).totalCount;
      expectError(await post(path, request(changed), account), 400, 'INVALID_AUTH_PROVIDER');
      expect(expectList(await get(path, account)).totalCount).toBe(before);
    },
  );

  test.each([
    [{ name: '' }, 'name'],
    [{ name: undefined }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ applicationSlug: undefined }, 'applicationSlug'],
    [{ authenticationId: '0' }, 'authenticationId'],
    [{ authenticationId: 99 }, 'authenticationId'],
    [{ isDefault: 'yes' }, 'isDefault'],
    [{ isEnabled: null }, 'isEnabled'],
    [{ values: [] }, 'values'],
    [{ values: { Key1: 7, Key2: 'b' } }, 'values.Key1'],
    [{ values: { Key1: 'x'.repeat(20_000), Key2: 'b' } }, 'values.Key1'],
    [{ scopes: 'crm.read' }, 'scopes'],
    [{ scopes: [''] }, 'scopes[0]'],
  ])('[completion.everywhere.27] is refused with %j, naming the field', async (changed, field) => {
    expectError(await post(path, request(changed), account), 400, 'VALIDATION_ERROR', [field]);
  });

  test('for an unknown application is 404', async () => {
    expectError(await post(path, request({ applicationSlug: 'no-such' }), account), 404, 'NOT_FOUND');
  });

  test('[completion.auth-providers.20] has a name of its own in the account; another account may use it too', async () => {
    const { name } = await create();
    expectError(await post(path, request({ name }), account), 409, 'CONFLICT');
    const { id } = await create();
    expectError(await patch(`${path}/${id}`, { name }, account), 409, 'CONFLICT');
    const other = await createAccount();
    expectStatus(await post(path, request({ name }), other), 201);
    await removeAccount(other);
  });

  row(
    ['auth-provider.9', 'completion.auth-providers.1', 'completion.auth-providers.23'],
    'keeps a slot that an update leaves out, and loses one that it sets to empty',
    async () => {
      const { id } = await create({ scopes: ['crm.read'] });
      const renamed = await patch(
        `${path}/${id}`,
        { name: `Renamed ${id}`, values: { Key1: 'other' } },
        account,
      );
      expect(renamed.body).toMatchObject({
        name: `Renamed ${id}`,
        scopes: ['crm.read'],
        values: [
          { slot: 'Key1', hasValue: true, value: 'other' },
          { slot: 'Key2', hasValue: true, value: null },
        ],
      });
      const cleared = await patch(`${path}/${id}`, { values: { Key2: '' }, scopes: null }, account);
      expect(cleared.body).toMatchObject({
        scopes: null,
        values: [
          { slot: 'Key1', hasValue: true, value: 'other' },
          { slot: 'Key2', hasValue: false, value: null },
        ],
      });
      expectError(
        await patch(`${path}/${id}`, { values: { Key9: 'x' } }, account),
        400,
        'INVALID_AUTH_PROVIDER',
      );
      expect((await get(`${path}/${id}`, account)).body).toEqual(cleared.body);
    },
  );

  test('[completion.auth-providers.25] keeps its application and method whatever an update says', async () => {
    const { id } = await create();
    const updated = await patch(`${path}/${id}`, { applicationSlug: 'http', authenticationId: 2 }, account);
    expect(updated.body).toMatchObject(method);
  });

  test('[completion.auth-providers.8] is the default of its method alone', async () => {
    const [first, second, elsewhere] = [
      await create({ isDefault: true }),
      await create(),
      await create({ authenticationId: 2, isDefault: true }),
    ];
    const defaults = async (): Promise<unknown> =>
      expectList(await get(path, account))
        .items.filter(({ isDefault }) => isDefault)
        .map(({ id }) => id)
        .toSorted((a, b) => a - b);
    expect(await defaults()).toEqual([first.id, elsewhere.id].toSorted((a, b) => a - b));
    expectStatus(await patch(`${path}/${second.id}`, { isDefault: true }, account), 200);
    expect(await defaults()).toEqual([second.id, elsewhere.id].toSorted((a, b) => a - b));
    const third = await create({ isDefault: true });
    expect(await defaults()).toEqual([third.id, elsewhere.id].toSorted((a, b) => a - b));
    for (const { id } of [third, elsewhere]) await patch(`${path}/${id}`, { isDefault: false }, account);
    expect(await defaults()).toEqual([]);
  });

  row(
    ['auth-provider.12', 'completion.auth-providers.4', 'completion.everywhere.10'],
    'is usable while it is enabled, and the list shows no value',
    async () => {
      const [enabled, disabled] = [await create(), await create({ isEnabled: false })];
      const { items } = expectList(await get(`${path}/usable?applicationSlug=sandbox-crm`, account));
      expect(items).toContainEqual({ id: enabled.id, name: enabled['name'], ...method, isDefault: false });
      expect(items.map(({ id }) => id)).not.toContain(disabled.id);
      expect(expectList(await get(`${path}/usable?applicationSlug=postgresql`, account)).items).toEqual([]);
      expect(expectList(await get(`${path}/usable`, account)).items).toEqual(items);
    },
  );

  row(
    ['auth-provider.11', 'completion.auth-providers.2'],
    'has a callback address to register at the vendor',
    async () => {
      const answer = await get(`${path}/redirect-uri?applicationSlug=sandbox-crm`, account);
      expect(answer.body).toEqual({ redirectUri: `${stack.baseUrl}/connect/callback` });
      expectError(await get(`${path}/redirect-uri?applicationSlug=no-such`, account), 404, 'NOT_FOUND');
      expectError(await get(`${path}/redirect-uri`, account), 400, 'VALIDATION_ERROR', ['applicationSlug']);
    },
  );

  test('[completion.auth-providers.1] is gone once it is deleted', async () => {
    const { id } = await create();
    expect((await del(`${path}/${id}`, account)).status).toBe(204);
    for (const answer of [await get(`${path}/${id}`, account), await del(`${path}/${id}`, account)]) {
      expectError(answer, 404, 'NOT_FOUND');
    }
  });

  test('[auth-providers.1, completion.auth-providers.5, completion.auth-providers.6] is managed, created and used with a permission of each kind', async () => {
    expectStatus(await patch('/admin/v1/account', { isRbacEnabled: true }, account), 200);
    const [developer, member] = [
      await createUser(account, { role: 'developer' }),
      await createUser(account, { role: 'member' }),
    ];
    const statuses = async (user: { apiKey: string }): Promise<unknown> =>
      Promise.all(
        [
          ['GET', ''],
          ['GET', '/999999'],
          ['PATCH', '/999999'],
          ['DELETE', '/999999'],
          ['GET', '/redirect-uri?applicationSlug=sandbox-crm'],
          ['GET', '/sources'],
          ['GET', '/usable'],
        ].map(async ([verb = '', rest = '']) => {
          const body = verb === 'PATCH' ? { body: {} } : {};
          return (await call(verb, `${path}${rest}`, { ...user, ...body })).status;
        }),
      );
    await expect.poll(() => statuses(member)).toEqual([403, 403, 403, 403, 403, 403, 200]);
    expect(await statuses(developer)).toEqual([403, 403, 403, 403, 403, 200, 200]);
    expect((await post(path, request(), member)).status).toBe(403);
    expect((await post(path, request(), developer)).status).toBe(201);
    expectStatus(await patch('/admin/v1/account', { isRbacEnabled: false }, account), 200);
  });
});
