import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { asOther, call, del, expectError, expectList, get, post, put, stack } from './support/api.ts';
import {
  createCrmConnection,
  createMcpConnection,
  createPostgresConnection,
  removeConnection,
  setDefault,
} from './support/connections.ts';
import { row } from './support/row.ts';

const execute = (tool: string, body: unknown = {}, query = ''): ReturnType<typeof post> =>
  post(`/v1/tools/${tool}/execute${query}`, body);

async function clear(): Promise<void> {
  const { items } = expectList(await get('/admin/v1/connections'));
  for (const { id } of items) await del(`/v1/connections/${id}`);
}
beforeEach(clear);
afterEach(clear);

describe('executing tools', () => {
  row(
    [
      'what-the-service-does.5',
      'tools.3',
      'tool-execution-result.1',
      'tool-execution-result.2',
      'tool-execution-result.3',
      'tool-execution-result.4',
      'completion.applications-and-tools.45',
    ],
    'a tool runs through the default connection and returns output, historyId and execution info',
    async () => {
      const { id } = await createCrmConnection();
      const me = await get('/v1/auth/whoami');
      const email = `${randomUUID()}@example.com`;
      const answer = await execute('sandbox-crm-create-contact', { fields: { name: 'Ada', email } });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body).toMatchObject({
        isSuccess: true,
        output: { id: expect.any(String), name: 'Ada', email },
        historyId: expect.any(Number),
        executionInfo: {
          startedAt: expect.stringMatching(/Z$/),
          durationMs: expect.any(Number),
          connectionId: id,
          connectionResolution: 'default',
          applicationSlug: 'sandbox-crm',
          toolSlug: 'sandbox-crm-create-contact',
          toolVersion: expect.any(String),
          attempts: 1,
          userId: me.body.userId,
          source: 'rest',
          mcpServerName: null,
        },
      });
      expect(answer.body.errorMessage ?? null).toBeNull();
      expect(Number.isSafeInteger(answer.body.historyId)).toBe(true);
      const { output } = (await execute('sandbox-crm-get-contact', { fields: { id: answer.body.output.id } }))
        .body;
      expect(output).toMatchObject({ name: 'Ada', email });
    },
  );

  row(
    ['tools.4', 'errors.27', 'errors.6'],
    'the connection is the explicit one, else the default, else 409 NO_DEFAULT_CONNECTION',
    async () => {
      expectError(await execute('sandbox-crm-whoami'), 409, 'NO_DEFAULT_CONNECTION');
      const first = await createCrmConnection('First');
      const second = await createCrmConnection('Second');
      const byDefault = await execute('sandbox-crm-whoami');
      expect(byDefault.body.executionInfo).toMatchObject({
        connectionId: first.id,
        connectionResolution: 'default',
      });
      const explicit = await execute('sandbox-crm-whoami', {}, `?connectionId=${second.id}`);
      expect(explicit.body.executionInfo).toMatchObject({
        connectionId: second.id,
        connectionResolution: 'explicit',
      });
      await removeConnection(first.id);
      expectError(await execute('sandbox-crm-whoami'), 409, 'NO_DEFAULT_CONNECTION');
      await setDefault(second.id);
      expect((await execute('sandbox-crm-whoami')).body.executionInfo.connectionId).toBe(second.id);
    },
  );

  row(
    ['errors.27', 'completion.applications-and-tools.47', 'completion.connections.81'],
    'a call for an end user never uses a connection of the account’s own, default or explicit',
    async () => {
      const { id } = await createCrmConnection();
      const forCustomer = await execute('sandbox-crm-whoami', {}, '?endUserId=customer-1');
      expectError(forCustomer, 409, 'NO_DEFAULT_CONNECTION');
      const explicit = await execute('sandbox-crm-whoami', {}, `?endUserId=customer-1&connectionId=${id}`);
      expectError(explicit, 404, 'NOT_FOUND');
      expect(expectList(await get('/v1/connections?endUserId=customer-1'))).toMatchObject({ totalCount: 0 });
    },
  );

  row(
    ['tool-execution-result.5', 'tools.4', 'errors.35'],
    'what fails at the vendor is 200 with isSuccess false and the vendor’s own text',
    async () => {
      await createCrmConnection();
      const fields = { status: 422, message: 'The moon is in the wrong phase' };
      const answer = await execute('sandbox-crm-simulate-failure', { fields });
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ isSuccess: false, historyId: expect.any(Number) });
      expect(answer.body.errorMessage).toContain('The moon is in the wrong phase');
      const gone = await execute('sandbox-crm-get-contact', { fields: { id: 'no-such-contact' } });
      expect(gone.body).toMatchObject({ isSuccess: false, errorMessage: expect.stringMatching(/./) });
    },
  );

  row('errors.14', 'a connection of another application is WRONG_APPLICATION', async () => {
    const { id } = await createPostgresConnection();
    expectError(await execute('sandbox-crm-whoami', {}, `?connectionId=${id}`), 400, 'WRONG_APPLICATION');
  });

  row(
    ['errors.25', 'versioning.4', 'errors.4'],
    'a blocked connection is 403 and nothing is executed',
    async () => {
      const { id } = await createCrmConnection();
      const before = expectList(await get('/v1/executions')).totalCount;
      for (const licence of [
        { status: 'none' },
        { status: 'expired' },
        { status: 'active', expiresAt: '2020-01-01T00:00:00Z' },
      ]) {
        await put(`/admin/v1/connections/${id}/licence`, licence);
        expectError(await execute('sandbox-crm-whoami'), 403, 'CONNECTION_BLOCKED');
      }
      expect(expectList(await get('/v1/executions')).totalCount).toBe(before);
      await put(`/admin/v1/connections/${id}/licence`, { status: 'active' });
      expect((await execute('sandbox-crm-whoami')).body.isSuccess).toBe(true);
    },
  );

  row(
    [
      'errors.12',
      'completion.applications-and-tools.26',
      'completion.applications-and-tools.27',
      'completion.applications-and-tools.28',
      'completion.applications-and-tools.39',
      'completion.everywhere.23',
    ],
    'inputs are checked against the schema, field by field, and nothing is executed',
    async () => {
      await createCrmConnection();
      const before = expectList(await get('/v1/executions')).totalCount;
      const refused = async (body: unknown, fields: string[]): Promise<void> =>
        expectError(await execute('sandbox-crm-create-contact', body), 400, 'VALIDATION_ERROR', fields);
      await refused({ fields: { name: 7, email: 'a@example.com' } }, ['fields.name']);
      await refused({}, ['fields.name']);
      await refused({ fields: [] }, ['fields']);
      await refused({ fields: 'x' }, ['fields']);
      expect(expectList(await get('/v1/executions')).totalCount).toBe(before);
      const extra = await execute('sandbox-crm-whoami', { fields: { unknown: 1 }, alsoUnknown: true });
      expect(extra.body.isSuccess).toBe(true);
    },
  );

  row(
    ['errors.26', 'tools.3', 'completion.everywhere.29', 'completion.everywhere.32'],
    'unknown and foreign connections and toolsets are 404, ill-formed ids are named',
    async () => {
      const foreign = await createCrmConnection('Foreign', asOther.apiKey);
      for (const id of [foreign.id, 2_000_000_000]) {
        expectError(await execute('sandbox-crm-whoami', {}, `?connectionId=${id}`), 404, 'NOT_FOUND');
      }
      await removeConnection(foreign.id, asOther.apiKey);
      for (const id of ['0', '-3', 'x', '', '99999999999']) {
        expectError(await execute('sandbox-crm-whoami', {}, `?connectionId=${id}`), 400, 'VALIDATION_ERROR', [
          'connectionId',
        ]);
      }
      expectError(await execute('sandbox-crm-whoami', {}, `?toolsetId=${randomUUID()}`), 404, 'NOT_FOUND');
      expectError(await execute('sandbox-crm-whoami', {}, '?toolsetId=x'), 400, 'VALIDATION_ERROR', [
        'toolsetId',
      ]);
      expectError(await execute('no-such-tool'), 404, 'NOT_FOUND');
    },
  );

  row(
    [
      'tool-detail.11',
      'completion.applications-and-tools.31',
      'completion.applications-and-tools.32',
      'completion.applications-and-tools.36',
    ],
    'filters, sorts and paging work together on list tools',
    async () => {
      await createCrmConnection();
      const company = `Company ${randomUUID()}`;
      for (const name of ['Cid', 'Ada', 'Bob']) {
        await execute('sandbox-crm-create-contact', {
          fields: { name, email: `${name}@example.com`, company },
        });
      }
      const filters = [{ field: 'company', operator: 'eq', value: company }];
      const sorts = [{ field: 'name', direction: 'desc' }];
      const list = async (body: object): Promise<any> =>
        (await execute('sandbox-crm-list-contacts', { filters, sorts, ...body })).body;
      const all = await list({});
      expect(all, JSON.stringify(all)).toMatchObject({ isSuccess: true, output: { totalCount: 3 } });
      const names = (result: any): string[] => result.output.items.map((it: { name: string }) => it.name);
      expect(names(all)).toEqual(['Cid', 'Bob', 'Ada']);
      expect(names(await list({ top: 1, offset: 1 }))).toEqual(['Bob']);
      const starts = [...filters, { field: 'name', operator: 'startsWith', value: 'A' }];
      expect(names(await list({ filters: starts }))).toEqual(['Ada']);
      const among = [...filters, { field: 'name', operator: 'in', value: ['Ada', 'Cid'] }];
      expect(names(await list({ filters: among, sorts: [{ field: 'name', direction: 'asc' }] }))).toEqual([
        'Ada',
        'Cid',
      ]);
    },
  );

  row('errors.12', 'a column that the table does not have is named, and nothing is noted', async () => {
    await createPostgresConnection();
    const before = expectList(await get('/v1/executions')).totalCount;
    const refused = await execute('postgresql-list-rows', {
      fields: { table: 'products' },
      filters: [
        { field: 'name', operator: 'isNull', value: false },
        { field: 'nope', operator: 'eq', value: 'a' },
      ],
      sorts: [{ field: 'NAME', direction: 'asc' }],
    });
    expectError(refused, 400, 'VALIDATION_ERROR', ['filters[1].field', 'sorts[0].field']);
    expect(expectList(await get('/v1/executions')).totalCount).toBe(before);
  });

  row(
    [
      'tool-detail.12',
      'tool-detail.13',
      'tool-detail.14',
      'tool-detail.15',
      'completion.applications-and-tools.32',
      'completion.applications-and-tools.33',
      'completion.applications-and-tools.34',
      'completion.applications-and-tools.35',
    ],
    'a filter, sort or page that the tool does not support, or too many, is named',
    async () => {
      await createCrmConnection();
      const refused = async (tool: string, body: object, code: string, fields?: string[]): Promise<void> =>
        expectError(await execute(`sandbox-crm-${tool}`, body), 400, code, fields);
      const filter = { field: 'name', operator: 'eq', value: 'x' };
      const five = [filter, filter, filter, filter, filter];
      const sort = { field: 'name', direction: 'asc' };
      await refused('get-contact', { fields: { id: '1' }, filters: [filter] }, 'VALIDATION_ERROR', [
        'filters',
      ]);
      await refused('get-contact', { fields: { id: '1' }, sorts: [sort] }, 'VALIDATION_ERROR', ['sorts']);
      await refused('get-contact', { fields: { id: '1' }, top: 5 }, 'VALIDATION_ERROR', ['top']);
      await refused('get-contact', { fields: { id: '1' }, offset: 5 }, 'VALIDATION_ERROR', ['offset']);
      await refused('list-contacts', { filters: [...five, filter] }, 'VALIDATION_ERROR', ['filters']);
      await refused('list-contacts', { sorts: [sort, sort, sort] }, 'VALIDATION_ERROR', ['sorts']);
      await refused('list-contacts', { filters: [{ ...filter, field: 'shoe' }] }, 'VALIDATION_ERROR', [
        'filters[0].field',
      ]);
      await refused('list-contacts', { sorts: [{ ...sort, field: 'shoe' }] }, 'VALIDATION_ERROR', [
        'sorts[0].field',
      ]);
      await refused('list-contacts', { filters: [{ ...filter, operator: 'like' }] }, 'INVALID_ENUM_VALUE');
      await refused('list-contacts', { sorts: [{ ...sort, direction: 'up' }] }, 'INVALID_ENUM_VALUE');
      await refused('list-contacts', { top: 101 }, 'VALIDATION_ERROR', ['top']);
      await refused('list-contacts', { top: 0 }, 'VALIDATION_ERROR', ['top']);
      await refused('list-contacts', { offset: -1 }, 'VALIDATION_ERROR', ['offset']);
      await refused('list-contacts', { filters: {} }, 'VALIDATION_ERROR', ['filters']);
    },
  );

  row(
    [
      'tools.3',
      'completion.applications-and-tools.19',
      'completion.applications-and-tools.20',
      'completion.applications-and-tools.21',
      'completion.applications-and-tools.24',
    ],
    'a slug of several applications is decided by applicationSlug or by the connection',
    async () => {
      const [one, two] = [await createMcpConnection('One'), await createMcpConnection('Two')];
      const fields = { message: 'hello' };
      expectError(await execute('echo', { fields }), 409, 'AMBIGUOUS_TOOL');
      const named = await execute('echo', { fields }, `?applicationSlug=mcp-${two.id}`);
      expect(named.body, named.text).toMatchObject({
        isSuccess: true,
        executionInfo: { connectionId: two.id },
      });
      const explicit = await execute('echo', { fields }, `?connectionId=${one.id}`);
      expect(explicit.body).toMatchObject({ isSuccess: true, executionInfo: { connectionId: one.id } });
      expect(JSON.stringify(explicit.body.output)).toContain('hello');
      await removeConnection(one.id);
      expect((await execute('echo', { fields })).body.executionInfo).toMatchObject({ connectionId: two.id });
    },
  );

  row(
    'tools.3',
    'PostgreSQL returns rows of a real database, and its refusal is a failed execution',
    async () => {
      await createPostgresConnection();
      const fields = { sql: 'select 1 + $1::int as sum', params: [41] };
      const answer = await execute('postgresql-run-query', { fields });
      expect(answer.body, answer.text).toMatchObject({ isSuccess: true });
      expect(JSON.stringify(answer.body.output)).toContain('42');
      const refused = await execute('postgresql-run-query', {
        fields: { sql: 'select * from no_such_table' },
      });
      expect(refused.body).toMatchObject({
        isSuccess: false,
        errorMessage: expect.stringContaining('no_such_table'),
      });
      const write = await execute('postgresql-run-query', { fields: { sql: 'create table sneaky (a int)' } });
      expect(write.body).toMatchObject({ isSuccess: false });
    },
  );

  row(
    ['tools.3', 'completion.applications-and-tools.48', 'completion.applications-and-tools.49'],
    'a dry run shows what would be sent, secrets masked, and sends and keeps nothing',
    async () => {
      await createCrmConnection();
      const before = expectList(await get('/v1/executions')).totalCount;
      const body = { fields: { name: 'Nobody', email: 'nobody@example.com' } };
      const answer = await execute('sandbox-crm-create-contact', body, '?dryRun=true');
      expect(answer.body, answer.text).toMatchObject({ isSuccess: true, historyId: null });
      expect(JSON.stringify(answer.body.output)).toContain('nobody@example.com');
      expect(answer.text).not.toContain(stack.sandboxCrm.apiKey);
      expect(expectList(await get('/v1/executions')).totalCount).toBe(before);
      const filters = [{ field: 'email', operator: 'eq', value: 'nobody@example.com' }];
      const found = await execute('sandbox-crm-list-contacts', { filters });
      expect(found.body.output.items).toEqual([]);
    },
  );

  row(
    ['errors.13', 'completion.everywhere.16', 'completion.everywhere.25'],
    'an execution needs a JSON object as body',
    async () => {
      await createCrmConnection();
      const path = '/v1/tools/sandbox-crm-whoami/execute';
      const headers = { 'content-type': 'application/json' };
      expectError(await call('POST', path, { raw: '{"fields":', headers }), 400, 'MALFORMED_BODY');
      expectError(await call('POST', path, { raw: '[]', headers }), 400, 'MALFORMED_BODY');
      expectError(await call('POST', path), 400, 'MALFORMED_BODY');
    },
  );
});
