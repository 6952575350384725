import { afterEach, describe, expect, test } from 'vitest';
import { asOther, call, del, expectError, expectList, get, post, put, stack } from './support/api.ts';
import {
  createConnection,
  createCrmConnection,
  createMcpConnection,
  createPostgresConnection,
  removeConnection,
} from './support/connections.ts';
import { row } from './support/row.ts';

const apiToken = stack.sandboxCrm.apiKey;
const direct = {
  applicationSlug: 'sandbox-crm',
  connectionName: 'Direct',
  authenticationId: 1,
  fields: { apiToken },
};

/** Removes the account's connections, so that defaults are known. */
afterEach(async () => {
  const { items } = expectList(await get('/admin/v1/connections'));
  for (const { id } of items) await del(`/v1/connections/${id}`);
});

describe('connections by credentials', () => {
  row(
    [
      'what-the-service-does.3',
      'connections-and-sign-in.1',
      'connections-and-sign-in.9',
      'connection.1',
      'connection.2',
      'connection.3',
      'connection.4',
      'connection.6',
      'identifiers-and-naming.3',
      'versioning.7',
      'completion.connections.1',
      'completion.connections.3',
      'completion.connections.4',
      'completion.everywhere.1',
      'completion.everywhere.68',
      'completion.names.6',
    ],
    'one call with credentials in fields creates it: 201, the record, secrets never shown',
    async () => {
      const metadata = { team: 'sales', nested: { deep: [1, true, null] } };
      const answer = await post('/v1/connections', { ...direct, description: 'Ours', metadata });
      expect(answer.status, answer.text).toBe(201);
      expect(answer.body).toMatchObject({
        connectionName: 'Direct',
        description: 'Ours',
        applicationSlug: 'sandbox-crm',
        applicationName: expect.any(String),
        kind: 'Regular',
        authenticationId: 1,
        authenticationName: 'API key',
        grantedScopes: null,
        endUserId: null,
        isDefault: true,
        status: 'Active',
        licence: { status: 'active', expiresAt: null },
        fields: { apiToken: null },
        secretFields: ['apiToken'],
        metadata,
        createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
        updatedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      });
      expect(answer.body).toHaveProperty('authProviderId');
      expect(Number.isInteger(answer.body.id) && answer.body.id >= 1).toBe(true);
      expect(answer.text).not.toContain(apiToken);
      const read = await get(`/v1/connections/${answer.body.id}`);
      expect(read.body).toEqual(answer.body);
    },
  );

  row(
    ['connections-and-sign-in.9', 'completion.connections.19'],
    'without authenticationId the default method is meant',
    async () => {
      const { authenticationId: _, ...body } = direct;
      expect(await createConnection(body)).toMatchObject({ authenticationId: 1 });
    },
  );

  row(
    [
      'errors.12',
      'completion.connections.17',
      'completion.connections.30',
      'completion.connections.31',
      'completion.connections.33',
      'completion.everywhere.24',
      'completion.everywhere.26',
    ],
    'missing, unknown and ill-typed fields are named and nothing is stored',
    async () => {
      const refused = async (changes: object, fields: string[]): Promise<void> =>
        expectError(
          await post('/v1/connections', { ...direct, ...changes }),
          400,
          'VALIDATION_ERROR',
          fields,
        );
      await refused({ fields: {} }, ['fields.apiToken']);
      await refused({ fields: { apiToken: 12 } }, ['fields.apiToken']);
      await refused({ fields: { apiToken, apiTokn: 'typo' } }, ['fields.apiTokn']);
      await refused({ fields: 'secret' }, ['fields']);
      await refused({ connectionName: '' }, ['connectionName']);
      await refused({ connectionName: 'x'.repeat(201) }, ['connectionName']);
      await refused({ connectionName: undefined }, ['connectionName']);
      await refused({ description: 'x'.repeat(2001) }, ['description']);
      await refused({ metadata: 'text' }, ['metadata']);
      await refused({ metadata: { big: 'x'.repeat(16 * 1024) } }, ['metadata']);
      await refused({ authenticationId: 77 }, ['authenticationId']);
      await refused({ authenticationId: '1' }, ['authenticationId']);
      await refused({ applicationSlug: undefined }, ['applicationSlug']);
      expectError(await post('/v1/connections', { ...direct, applicationSlug: 'no-such' }), 404, 'NOT_FOUND');
      expect(expectList(await get('/v1/connections')).totalCount).toBe(0);
    },
  );

  row(
    ['completion.connections.2', 'completion.connections.5'],
    'lastUsedAt is null until a tool uses the connection; nothing else of the record changes',
    async () => {
      const { id } = await createCrmConnection();
      const before = await get(`/v1/connections/${id}`);
      expect(before.body.lastUsedAt).toBeNull();
      const startedAt = Date.now();
      const used = await post(`/v1/tools/sandbox-crm-whoami/execute?connectionId=${id}`, {});
      expect(used.body, used.text).toMatchObject({ isSuccess: true });
      const record = async () => (await get(`/v1/connections/${id}`)).body;
      await expect.poll(async () => (await record()).lastUsedAt).not.toBeNull();
      const { lastUsedAt } = await record();
      expect(Date.parse(lastUsedAt)).toBeGreaterThanOrEqual(startedAt - 1_000);
      expect(await record()).toEqual({ ...before.body, lastUsedAt });
    },
  );

  row(
    ['connections-and-sign-in.11', 'errors.16', 'completion.connections.32'],
    'ApiKey and RefreshToken are ignored, ExternalOrgId is INVALID_FIELD',
    async () => {
      const fields = { apiToken, ApiKey: 'ignored', RefreshToken: 'ignored' };
      const made = await createConnection({ ...direct, fields });
      expect(made['fields']).toEqual({ apiToken: null });
      const refused = await post('/v1/connections', { ...direct, fields: { apiToken, ExternalOrgId: 'x' } });
      expectError(refused, 400, 'INVALID_FIELD');
    },
  );

  row(
    'connections-and-sign-in.1',
    'client credentials need no sign-in and take the choice of OAuth client',
    async () => {
      const body = { applicationSlug: 'sandbox-crm', connectionName: 'Machine', authenticationId: 2 };
      const own = await post('/v1/connections?authProviderId=0', body);
      expect(own.status, own.text).toBe(201);
      const tested = await post(`/v1/connections/${own.body.id}/test`);
      expect(tested.body).toMatchObject({ isSuccess: true });
      expectError(await post('/v1/connections?authProviderId=41', body), 404, 'NOT_FOUND');
      expectError(await post('/v1/connections?authProviderId=x', body), 400, 'VALIDATION_ERROR', [
        'authProviderId',
      ]);
      const ignored = await post('/v1/connections?authProviderId=41', direct);
      expect(ignored.status, 'ignored for every other method').toBe(201);
    },
  );
});

describe('reading connections', () => {
  row(
    [
      'connections-and-sign-in.2',
      'limits.2',
      'completion.connections.54',
      'completion.everywhere.13',
      'completion.applications-and-tools.12',
    ],
    'the list is newest first, filtered by kind without regard to case, and leaves MCPClient out',
    async () => {
      const first = await createCrmConnection('First');
      const second = await createPostgresConnection('Second');
      await createMcpConnection();
      const all = expectList(await get('/v1/connections'));
      expect(all.items.map((it) => it.id)).toEqual([second.id, first.id]);
      expect(expectList(await get('/v1/connections?kind=regular')).totalCount).toBe(2);
      expect(expectList(await get('/v1/connections?kind=key')).totalCount).toBe(0);
      expect(expectList(await get('/v1/connections?kind=MCPClient'))).toMatchObject({
        items: [],
        totalCount: 0,
      });
      expectError(await get('/v1/connections?kind=Banana'), 400, 'INVALID_ENUM_VALUE');
    },
  );

  row(
    [
      'connections-and-sign-in.3',
      'versioning.9',
      'completion.connections.53',
      'completion.connections.54',
      'completion.everywhere.2',
      'completion.everywhere.3',
    ],
    'the detail of an MCPClient connection is 404, while the connection works by id',
    async () => {
      const { id } = await createMcpConnection();
      expectError(await get(`/v1/connections/${id}`), 404, 'NOT_FOUND');
      expect((await post(`/v1/connections/${id}/test`)).body).toMatchObject({ isSuccess: true });
      expect((await put(`/v1/connections/${id}/default`)).status).toBe(200);
      expect((await put(`/v1/connections/${id}`, { connectionName: 'Renamed' })).body).toMatchObject({
        id,
        connectionName: 'Renamed',
        kind: 'MCPClient',
        applicationSlug: `mcp-${id}`,
      });
      const admin = expectList(await get('/admin/v1/connections'));
      expect(admin.items.map((it) => it.id)).toContain(id);
      expect((await del(`/v1/connections/${id}`)).status).toBe(204);
    },
  );

  row('errors.12', 'a force that is neither true nor false removes nothing', async () => {
    const { id } = await createCrmConnection();
    for (const query of ['force=', 'force=yes', 'force=true&force=true'])
      expectError(await del(`/v1/connections/${id}?${query}`), 400, 'VALIDATION_ERROR', ['force']);
    expect((await get(`/v1/connections/${id}`)).status).toBe(200);
    expect((await del(`/v1/connections/${id}?force=true`)).status).toBe(204);
  });

  row(
    ['errors.19', 'completion.everywhere.28'],
    'a choice that a field does not offer is INVALID_ENUM_VALUE and names those it offers',
    async () => {
      const refused = await post('/v1/connections', {
        applicationSlug: 'postgresql',
        connectionName: 'x',
        fields: { host: 'localhost', user: 'u', password: 'p', database: 'd', sslMode: 'nope' },
      });
      expectError(refused, 400, 'INVALID_ENUM_VALUE', ['fields.sslMode']);
      expect(refused.body.message).toContain('verify-full');
    },
  );

  row(
    ['errors.26', 'completion.everywhere.29'],
    'another account sees, changes and removes nothing',
    async () => {
      const { id } = await createCrmConnection('Mine');
      const body = { connectionName: 'Theirs' };
      const attempts = [
        get(`/v1/connections/${id}`, asOther),
        put(`/v1/connections/${id}`, body, asOther),
        put(`/v1/connections/${id}/default`, undefined, asOther),
        post(`/v1/connections/${id}/test`, undefined, asOther),
        del(`/v1/connections/${id}`, asOther),
        put(`/admin/v1/connections/${id}/licence`, { status: 'none' }, asOther),
      ];
      for (const attempt of attempts) expectError(await attempt, 404, 'NOT_FOUND');
      expect((await get(`/v1/connections/${id}`)).body).toMatchObject({
        connectionName: 'Mine',
        status: 'Active',
      });
      expect(expectList(await get('/v1/connections', asOther)).items.map((it) => it.id)).not.toContain(id);
    },
  );
});

describe('changing connections', () => {
  row(
    [
      'connections-and-sign-in.4',
      'completion.connections.35',
      'completion.connections.36',
      'completion.connections.37',
      'completion.connections.38',
      'completion.connections.39',
      'completion.connections.47',
      'completion.connections.56',
    ],
    'PUT replaces: what is absent is cleared, absent fields keep the credentials, present ones replace them all',
    async () => {
      const { id } = await createConnection({ ...direct, description: 'Before', metadata: { a: 1 } });
      const renamed = await put(`/v1/connections/${id}`, { connectionName: 'After' });
      expect(renamed.status, renamed.text).toBe(200);
      expect(renamed.body).toMatchObject({ id, connectionName: 'After', description: null, metadata: {} });
      expect((await post(`/v1/connections/${id}/test`)).body.isSuccess).toBe(true);
      await put(`/v1/connections/${id}`, { connectionName: 'After', fields: { apiToken: 'wrong' } });
      const refused = (await post(`/v1/connections/${id}/test`)).body;
      expect(refused).toMatchObject({ isSuccess: false, errorMessage: expect.stringMatching(/./) });
      expectError(
        await put(`/v1/connections/${id}`, { connectionName: 'After', fields: {} }),
        400,
        'VALIDATION_ERROR',
        ['fields.apiToken'],
      );
      expectError(await put(`/v1/connections/${id}`, { fields: { apiToken } }), 400, 'VALIDATION_ERROR', [
        'connectionName',
      ]);
    },
  );

  row(
    [
      'connections-and-sign-in.5',
      'completion.connections.48',
      'completion.connections.49',
      'completion.everywhere.2',
    ],
    'the first connection of an application is its default, another can take its place, a deleted one is not replaced',
    async () => {
      const first = await createCrmConnection('First');
      const second = await createCrmConnection('Second');
      expect([first['isDefault'], second['isDefault']]).toEqual([true, false]);
      const swapped = await call('PUT', `/v1/connections/${second.id}/default`);
      expect(swapped.status, swapped.text).toBe(200);
      expect(swapped.body).toMatchObject({ id: second.id, isDefault: true });
      expect((await get(`/v1/connections/${first.id}`)).body.isDefault).toBe(false);
      await removeConnection(second.id);
      expect((await get(`/v1/connections/${first.id}`)).body.isDefault).toBe(false);
      expectError(await call('PUT', `/v1/connections/${second.id}/default`), 404, 'NOT_FOUND');
    },
  );

  row(
    [
      'errors.25',
      'connection.6',
      'completion.administration.12',
      'completion.administration.13',
      'completion.administration.14',
    ],
    'a licence that is missing or has expired blocks the connection',
    async () => {
      const { id } = await createCrmConnection();
      const licence = (body: object): ReturnType<typeof put> =>
        put(`/admin/v1/connections/${id}/licence`, body);
      const blocked = { status: 'Blocked', licence: { status: 'none', expiresAt: null } };
      expect((await licence({ status: 'none' })).body).toMatchObject({ id, ...blocked });
      const past = '2020-01-01T00:00:00.000Z';
      expect((await licence({ status: 'active', expiresAt: past })).body).toMatchObject({
        status: 'Blocked',
        licence: { status: 'expired', expiresAt: past },
      });
      const future = '2999-01-01T00:00:00.000Z';
      expect((await licence({ status: 'active', expiresAt: future })).body).toMatchObject({
        status: 'Active',
        licence: { status: 'active', expiresAt: future },
      });
      expectError(await licence({ status: 'gold' }), 400, 'INVALID_ENUM_VALUE');
      expectError(await licence({ status: 'active', expiresAt: 'soon' }), 400, 'VALIDATION_ERROR', [
        'expiresAt',
      ]);
    },
  );

  test('[completion.connections.6, completion.everywhere.33] the list filters by application and by status, and counts what matches; an unknown application has none', async () => {
    const [first, second, third] = [
      await createCrmConnection('One'),
      await createCrmConnection('Two'),
      await createPostgresConnection(),
    ];
    await createMcpConnection();
    await put(`/admin/v1/connections/${second.id}/licence`, { status: 'none' });
    await put(`/admin/v1/connections/${third.id}/licence`, { status: 'expired' });
    const idsOf = async (query: string): Promise<number[]> => {
      const { items, totalCount } = expectList(await get(`/v1/connections?${query}`));
      expect(totalCount).toBe(items.length);
      return items.map(({ id }) => id);
    };
    expect(await idsOf('top=100')).toEqual([third.id, second.id, first.id]);
    expect(await idsOf('applicationSlug=sandbox-crm')).toEqual([second.id, first.id]);
    expect(await idsOf('status=Blocked')).toEqual([third.id, second.id]);
    expect(await idsOf('status=Active')).toEqual([first.id]);
    expect(await idsOf('status=NeedsReauthentication')).toEqual([]);
    expect(await idsOf('status=Blocked&applicationSlug=sandbox-crm&kind=regular')).toEqual([second.id]);
    expect(await idsOf('applicationSlug=unknown')).toEqual([]);
    const secondPage = expectList(await get('/v1/connections?offset=1&top=1'));
    expect([secondPage.items.map(({ id }) => id), secondPage.totalCount]).toEqual([[second.id], 3]);
    await del(`/v1/connections/${first.id}`);
    expect(await idsOf('status=Active')).toEqual([]);
    expectError(await get('/v1/connections?status=active'), 400, 'INVALID_ENUM_VALUE', ['status']);
  });

  row('connections-and-sign-in.1', 'an MCP server that cannot be read leaves nothing behind', async () => {
    const serverUrl = 'http://127.0.0.1:9/mcp';
    const body = {
      applicationSlug: 'mcp',
      connectionName: 'Gone',
      authenticationId: 0,
      fields: { serverUrl },
    };
    expectError(await post('/v1/connections', body), 400, 'VALIDATION_ERROR', ['fields.serverUrl']);
    expect(expectList(await get('/admin/v1/connections')).totalCount).toBe(0);
  });
});
