import { afterEach, describe, expect } from 'vitest';
import { asOther, del, expectError, expectList, get, patch, post, put } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import { importForEndUser, removeEndUsers } from './support/end-users.ts';
import { row } from './support/row.ts';

const EXECUTE = '/v1/tools/sandbox-crm-whoami/execute';
const own: number[] = [];

afterEach(async () => {
  await removeEndUsers();
  for (const id of own.splice(0)) await del(`/v1/connections/${id}`);
});

async function createOwn(): Promise<{ id: number; isDefault: boolean }> {
  const created = await createCrmConnection('The account’s own');
  own.push(created.id);
  return { id: created.id, isDefault: created['isDefault'] === true };
}

describe('a connection of an end user', () => {
  row(
    ['completion.connections.1', 'completion.connections.6', 'completion.connections.87'],
    'is imported with its end user, and lists filter by it',
    async () => {
      const account = await createOwn();
      const first = await importForEndUser('customer-1');
      const second = await importForEndUser('customer-2');
      const listed = async (query: string) =>
        expectList(await get(`/v1/connections?${query}`)).items.map(({ id }) => id);
      expect(await listed('endUserId=customer-1')).toEqual([first.id]);
      expect(await listed('endUserId=customer-2&applicationSlug=sandbox-crm&status=Active')).toEqual([
        second.id,
      ]);
      expect(await listed('endUserId=customer-3')).toEqual([]);
      expect(await listed('top=100')).toEqual([second.id, first.id, account.id]);
      const { body } = await get(`/v1/connections/${first.id}`);
      expect(body).toMatchObject({ endUserId: 'customer-1', isDefault: true, authenticationId: 0 });
      expect(expectList(await get('/v1/connections?endUserId=customer-1', asOther)).items).toEqual([]);
      const mine = await importForEndUser(null);
      own.push(mine.id);
      expect((await get(`/v1/connections/${mine.id}`)).body.endUserId).toBeNull();
    },
  );

  row(['completion.connections.79'], 'has a default per end user, apart from the account’s own', async () => {
    const first = await importForEndUser('customer-1');
    const account = await createOwn();
    expect(account.isDefault).toBe(true);
    const second = await importForEndUser('customer-1');
    const defaults = async () => {
      const { items } = expectList(await get('/v1/connections?top=100'));
      return items.filter(({ isDefault }) => isDefault).map(({ id }) => Number(id));
    };
    expect(await defaults()).toEqual([account.id, first.id]);
    expect((await put(`/v1/connections/${second.id}/default`)).body.isDefault).toBe(true);
    expect((await defaults()).toSorted((a, b) => a - b)).toEqual([account.id, second.id]);
    expect((await put(`/v1/connections/${account.id}/default`)).status).toBe(200);
    expect((await get(`/v1/connections/${second.id}`)).body.isDefault).toBe(true);
  });

  row(
    [
      'completion.applications-and-tools.45',
      'completion.applications-and-tools.47',
      'completion.connections.80',
      'completion.connections.81',
      'completion.connections.82',
    ],
    'is what execute with endUserId uses: explicit, then their default, then their lowest id, then 409; never another’s',
    async () => {
      const account = await createOwn();
      const first = await importForEndUser('customer-1');
      const second = await importForEndUser('customer-1');
      const other = await importForEndUser('customer-2');
      const used = async (query: string) => {
        const { status, body, text } = await post(`${EXECUTE}?${query}`, {});
        expect([status, body.isSuccess], text).toEqual([200, true]);
        const { connectionId, connectionResolution } = body.executionInfo;
        return [connectionId, connectionResolution];
      };
      expect(await used('endUserId=customer-1')).toEqual([first.id, 'endUser']);
      expect(await used(`endUserId=customer-1&connectionId=${second.id}`)).toEqual([second.id, 'explicit']);
      await put(`/v1/connections/${second.id}/default`);
      expect(await used('endUserId=customer-1')).toEqual([second.id, 'endUser']);
      await del(`/v1/connections/${second.id}`);
      // A deleted default is not replaced.
      expect(await used('endUserId=customer-1')).toEqual([first.id, 'endUser']);
      expect(await used('')).toEqual([account.id, 'default']);
      for (const id of [other.id, account.id])
        expectError(await post(`${EXECUTE}?endUserId=customer-1&connectionId=${id}`, {}), 404, 'NOT_FOUND');
      const longest = 'x'.repeat(255);
      for (const nobody of ['nobody', longest])
        expectError(await post(`${EXECUTE}?endUserId=${nobody}`, {}), 409, 'NO_DEFAULT_CONNECTION');
      for (const wrong of ['', `${longest}x`])
        expectError(await post(`${EXECUTE}?endUserId=${wrong}`, {}), 400, 'VALIDATION_ERROR', ['endUserId']);
    },
  );

  row(
    ['completion.connections.85'],
    'counts to maxConnectionsPerEndUser, 20 by default: beyond, the creation is 409 CONFLICT',
    async () => {
      expect((await get('/admin/v1/account')).body.maxConnectionsPerEndUser).toBe(20);
      for (const value of [0, 1_001, 1.5, '2'])
        expectError(
          await patch('/admin/v1/account', { maxConnectionsPerEndUser: value }),
          400,
          'VALIDATION_ERROR',
          ['maxConnectionsPerEndUser'],
        );
      const changed = await patch('/admin/v1/account', { maxConnectionsPerEndUser: 1 });
      expect([changed.status, changed.body.maxConnectionsPerEndUser]).toEqual([200, 1]);
      await importForEndUser('customer-1');
      const beyond = {
        applicationSlug: 'sandbox-crm',
        connectionName: 'One too many',
        authenticationId: 0,
        endUserId: 'customer-1',
        accessToken: 'unused-at-the-vendor',
      };
      const answer = await post('/admin/v1/connections/import', beyond);
      expectError(answer, 409, 'CONFLICT');
      await importForEndUser('customer-2');
      await patch('/admin/v1/account', { maxConnectionsPerEndUser: 20 });
    },
  );

  row(
    ['completion.connections.86'],
    'is deleted with the end user: 204, all that is theirs and nothing else; again 204',
    async () => {
      const account = await createOwn();
      const first = await importForEndUser('customer-1');
      const other = await importForEndUser('customer-2');
      const session = (await post('/v1/connect-sessions', { endUserId: 'customer-1' })).body;
      const theirs = (await post('/v1/connect-sessions', { endUserId: 'customer-2' })).body;
      expect((await del('/v1/end-users/customer-1', asOther)).status).toBe(204);
      expect((await get(`/v1/connections/${first.id}`)).status).toBe(200);
      for (let count = 0; count < 2; count += 1)
        expect((await del('/v1/end-users/customer-1')).status).toBe(204);
      expectError(await get(`/v1/connections/${first.id}`), 404, 'NOT_FOUND');
      expectError(await get(`/v1/connect-sessions/${session.sessionId}`), 404, 'NOT_FOUND');
      for (const path of [
        `/v1/connections/${account.id}`,
        `/v1/connections/${other.id}`,
        `/v1/connect-sessions/${theirs.sessionId}`,
      ])
        expect((await get(path)).status).toBe(200);
      expectError(await post(`${EXECUTE}?endUserId=customer-1`, {}), 409, 'NO_DEFAULT_CONNECTION');
    },
  );

  row(
    ['completion.connections.91'],
    'is named by no approval once the end user is deleted, whatever became of it',
    async () => {
      const [first, other] = [await importForEndUser('customer-1'), await importForEndUser('customer-2')];
      const connections = [first, other].map(({ id }) => ({ connectionId: id }));
      const policy = { requireApproval: ['sandbox-crm-whoami', 'sandbox-crm-list-contacts'] };
      const toolset = (await post('/v1/toolsets', { name: 'Theirs', connections, policy })).body;
      const requested = async (endUserId: string, tool: string): Promise<string> => {
        const query = new URLSearchParams({ toolsetId: toolset.id, endUserId });
        const answer = await post(`/v1/tools/${tool}/execute?${query.toString()}`, {});
        expect([answer.status, answer.body.errorCode]).toEqual([409, 'APPROVAL_REQUIRED']);
        return answer.body.approvalId;
      };
      const approvals = async (): Promise<string[]> => {
        const { items } = expectList(await get('/v1/approvals?top=100'));
        return items.filter((it) => it.toolsetId === toolset.id).map((it) => String(it.endUserId));
      };
      const rejected = await requested('customer-1', 'sandbox-crm-whoami');
      expect((await post(`/v1/approvals/${rejected}/reject`)).status).toBe(200);
      await requested('customer-1', 'sandbox-crm-list-contacts');
      await requested('customer-2', 'sandbox-crm-whoami');
      expect((await approvals()).toSorted()).toEqual(['customer-1', 'customer-1', 'customer-2']);
      expect((await del('/v1/end-users/customer-1')).status).toBe(204);
      expect(await approvals()).toEqual(['customer-2']);
      await del(`/v1/toolsets/${toolset.id}`);
    },
  );
});

describe('POST /admin/v1/connections/import', () => {
  row(
    ['completion.connections.87'],
    'takes tokens for sign-in methods only, and validates what it takes',
    async () => {
      const valid = {
        applicationSlug: 'sandbox-crm',
        connectionName: 'Moved',
        authenticationId: 0,
        accessToken: 'token-of-elsewhere',
      };
      const wrong: [string, Record<string, unknown>][] = [
        ['authenticationId', { authenticationId: 1 }],
        ['authenticationId', { authenticationId: 99 }],
        ['accessToken', { accessToken: '' }],
        ['endUserId', { endUserId: '' }],
        ['expiresAt', { expiresAt: 'tomorrow' }],
        ['connectionName', { connectionName: '' }],
      ];
      for (const [field, over] of wrong)
        expectError(
          await post('/admin/v1/connections/import', { ...valid, ...over }),
          400,
          'VALIDATION_ERROR',
          [field],
        );
      for (const over of [{ applicationSlug: 'no-such-application' }, { authProviderId: 2_000_000_000 }])
        expectError(await post('/admin/v1/connections/import', { ...valid, ...over }), 404, 'NOT_FOUND');
      const created = await post('/admin/v1/connections/import', {
        ...valid,
        refreshToken: 'refresh-of-elsewhere',
        expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      });
      expect(created.status, created.text).toBe(201);
      expect(created.body).toMatchObject({ connectionName: 'Moved', authProviderId: 0, endUserId: null });
      expect(created.text).not.toContain('of-elsewhere');
      own.push(Number(created.body.id));
    },
  );
});
