import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import type { Collection } from 'mongodb';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { AMPLE_BUDGETS } from '../setup/raise-budgets.ts';
import { createAccount, createApiKey, createUser, expectStatus, removeAccount } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { call, expectError, get, patch, post, put, stack } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import { row } from './support/row.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

const json = { 'content-type': 'application/json' };
const INT32_MAX = 2 ** 31 - 1;

row(
  'completion.everywhere.17',
  'an operation without a body takes none and ignores one, whatever is in it',
  async () => {
    const { id } = await createCrmConnection('Without a body', account.apiKey);
    const bodies = [
      {},
      { raw: '{', headers: json },
      { raw: '[[1]]', headers: json },
      { raw: '{"connectionName":7}', headers: json },
    ];
    for (const body of bodies) {
      const tested = await call('POST', `/v1/connections/${id}/test`, { ...body, apiKey: account.apiKey });
      expect(tested.body, tested.text).toEqual({ isSuccess: true, errorMessage: null });
      const standard = await call('PUT', `/v1/connections/${id}/default`, {
        ...body,
        apiKey: account.apiKey,
      });
      expect(standard.body, standard.text).toMatchObject({ id, isDefault: true });
    }
  },
);

row(
  'completion.everywhere.73',
  'a body of more than 100 000 values, or of more than 32 levels, is a VALIDATION_ERROR that says so',
  async () => {
    const connection = (metadata: string) =>
      call('POST', '/v1/connections', {
        raw: `{"connectionName":"x","metadata":${metadata}}`,
        headers: json,
        apiKey: account.apiKey,
      });
    const values = (count: number) => `{"list":[${'1,'.repeat(count - 1)}1]}`;
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    // The body itself, its name, the object and the list count as levels.
    const tooMany = await connection(values(100_000));
    expectError(tooMany, 400, 'VALIDATION_ERROR');
    expect(tooMany.text).toMatch(/100[ _]?000/);
    const tooDeep = await connection(nested(33));
    expectError(tooDeep, 400, 'VALIDATION_ERROR');
    expect(tooDeep.text).toMatch(/32 levels/);
    // These pass this check and fail at the next: the application is missing.
    for (const fits of [values(99_000), nested(31)]) {
      const { body } = await connection(fits);
      const fields = body.details.map(({ field }: { field: string }) => field);
      expect(fields).toContain('applicationSlug');
    }
  },
);

row(
  ['completion.names.7', 'completion.everywhere.32'],
  'ids of connections and auth providers fit int32, and what does not is refused',
  async () => {
    const { id } = await createCrmConnection('Numbered', account.apiKey);
    const values = { Key1: 'a', Key2: 'b' };
    const provider = { name: 'Numbered', applicationSlug: 'sandbox-crm', authenticationId: 0, values };
    const made = expectStatus(await post('/v1/auth-providers', provider, account), 201).body;
    for (const each of [id, made.id]) {
      expect(Number.isInteger(each)).toBe(true);
      expect(each).toBeGreaterThanOrEqual(1);
      expect(each).toBeLessThanOrEqual(INT32_MAX);
    }
    const execute = `/v1/tools/sandbox-crm-whoami/execute?connectionId=`;
    expectError(await post(`${execute}${INT32_MAX}`, {}, account), 404, 'NOT_FOUND');
    expectError(await post(`${execute}${INT32_MAX + 1}`, {}, account), 400, 'VALIDATION_ERROR', [
      'connectionId',
    ]);
    const signIn = { applicationSlug: 'sandbox-crm', authenticationId: 0, authProviderId: INT32_MAX + 1 };
    expectError(await post('/v1/connections/get-sign-in-url', signIn, account), 400, 'VALIDATION_ERROR', [
      'authProviderId',
    ]);
    expectError(await get(`/v1/connections/${INT32_MAX + 1}`, account), 404, 'NOT_FOUND');
  },
);

row(
  ['completion.everywhere.68', 'completion.everywhere.69'],
  'records say when they were created and last changed, and a change moves the second',
  async () => {
    const own = await createAccount();
    const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
    const times = (record: any, what: string): [number, number] => {
      expect(record, what).toMatchObject({
        createdAt: expect.stringMatching(time),
        updatedAt: expect.stringMatching(time),
      });
      return [Date.parse(record.createdAt), Date.parse(record.updatedAt)];
    };
    const { id } = await createCrmConnection('Dated', own.apiKey);
    const executed = await post('/v1/tools/sandbox-crm-whoami/execute', {}, own);
    const values = { Key1: 'a', Key2: 'b' };
    const provider = { name: 'Dated', applicationSlug: 'sandbox-crm', authenticationId: 0, values };
    const { id: providerId } = expectStatus(await post('/v1/auth-providers', provider, own), 201).body;
    const session = await post('/v1/connect-sessions', { endUserId: 'dated' }, own);
    const user = await createUser(own, { role: 'member' });
    await createApiKey(own);
    const client = { name: 'Dated', grantTypes: ['client_credentials'], scopes: ['connections.read'] };
    expectStatus(await post('/admin/v1/oauth-clients', client, own), 201);
    const paths = [
      '/v1/applications/sandbox-crm',
      '/v1/tools/sandbox-crm-whoami',
      `/v1/connections/${id}`,
      `/v1/executions/${executed.body.historyId}`,
      `/v1/auth-providers/${providerId}`,
      `/v1/connect-sessions/${session.body.sessionId}`,
      '/admin/v1/account',
    ];
    for (const path of paths) times((await get(path, own)).body, path);
    for (const path of ['/admin/v1/users', '/admin/v1/api-keys', '/admin/v1/oauth-clients']) {
      const { items } = (await get(path, own)).body;
      expect(items.length, path).toBeGreaterThan(0);
      for (const item of items) times(item, path);
    }
    const changes: [path: string, method: 'PUT' | 'PATCH', body: object][] = [
      [`/v1/connections/${id}`, 'PUT', { connectionName: 'Changed' }],
      [`/v1/auth-providers/${providerId}`, 'PATCH', { name: 'Changed' }],
      [`/admin/v1/users/${user.userId}`, 'PATCH', { name: 'Changed' }],
      ['/admin/v1/account', 'PATCH', { name: 'Changed' }],
    ];
    for (const [path, method, body] of changes) {
      const { body: changed } = await call(method, path, { ...own, body });
      const [createdAt, updatedAt] = times(changed, path);
      expect(updatedAt, path).toBeGreaterThan(createdAt);
    }
    await removeAccount(own);
  },
);

describe('Idempotency-Key', () => {
  row(
    'completion.everywhere.48',
    'keeps a refusal, but neither that of a budget nor an unexpected failure: those calls run again',
    async () => {
      const create = (connectionName: string, key: string, who: TestAccount) =>
        post(
          '/v1/connections',
          {
            applicationSlug: 'sandbox-crm',
            connectionName,
            fields: { apiToken: stack.sandboxCrm.apiKey },
          },
          { apiKey: who.apiKey, headers: { 'idempotency-key': key } },
        );
      const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed') === 'true';
      const poor = await createAccount({ budgets: { ...AMPLE_BUDGETS, hourly: 1 } });
      const key = randomUUID();
      expectStatus(await get('/v1/auth/whoami', poor), 200);
      expectError(await create('Poor', key, poor), 429, 'RATE_LIMIT_EXCEEDED');
      expectStatus(await patch('/admin/v1/account', { budgets: AMPLE_BUDGETS }, poor), 200);
      await expect.poll(async () => (await get('/v1/auth/whoami', poor)).status).toBe(200);
      const made = await create('Poor', key, poor);
      expect([made.status, isReplay(made)]).toEqual([201, false]);
      expect(isReplay(await create('Poor', key, poor))).toBe(true);
      const refusedKey = randomUUID();
      expectError(await create('', refusedKey, poor), 400, 'VALIDATION_ERROR');
      expect(isReplay(await create('', refusedKey, poor))).toBe(true);

      const failingKey = randomUUID();
      const test = () =>
        post(`/v1/connections/${made.body.id}/test`, undefined, {
          apiKey: poor.apiKey,
          headers: { 'idempotency-key': failingKey },
        });
      await whileDamaged(made.body.id, { fields: '{ not JSON' }, async () => {
        expectError(await test(), 500, 'INTERNAL');
      });
      const again = await test();
      expect([again.body, isReplay(again)]).toEqual([{ isSuccess: true, errorMessage: null }, false]);
      expect(isReplay(await test())).toBe(true);
      await removeAccount(poor);
    },
  );
});

describe('an unexpected failure', () => {
  row(
    ['errors.9', 'completion.everywhere.72'],
    'is 500 INTERNAL with the requestId and nothing of the cause; others are served meanwhile',
    async () => {
      const { id } = await createCrmConnection('Damaged', account.apiKey);
      const { id: sound } = await createCrmConnection('Sound', account.apiKey);
      await whileDamaged(id, { fields: '{ not JSON' }, async () => {
        for (const answer of [
          await get(`/v1/connections/${id}`, account),
          await put(`/v1/connections/${id}`, { connectionName: 'x' }, account),
        ]) {
          expectError(answer, 500, 'INTERNAL');
          expect(answer.text).not.toMatch(/JSON|SyntaxError|fields| at /);
        }
        expectStatus(await get(`/v1/connections/${sound}`, account), 200);
      });
      expect((await get(`/v1/connections/${id}`, account)).body.connectionName).toBe('Damaged');
    },
  );

  row(
    'completion.everywhere.72',
    'is what a credential gives that was moved to another record: it does not open there',
    async () => {
      const { id } = await createCrmConnection('Own', account.apiKey);
      const { id: other } = await createCrmConnection('Other', account.apiKey);
      const theirs = await inConnections((connections) => connections.findOne({ _id: other }));
      await whileDamaged(id, { 'credential.secrets': theirs?.credential?.secrets }, async () => {
        const executed = await post(`/v1/tools/sandbox-crm-whoami/execute?connectionId=${id}`, {}, account);
        expectError(executed, 500, 'INTERNAL');
        expectError(await post(`/v1/connections/${id}/test`, undefined, account), 500, 'INTERNAL');
      });
      expect((await post(`/v1/connections/${id}/test`, undefined, account)).body.isSuccess).toBe(true);
    },
  );
});

/** The document of a connection, of any shape. */
interface StoredConnection {
  readonly _id: number;
  readonly credential?: { readonly secrets?: unknown };
}

async function inConnections<T>(use: (connections: Collection<StoredConnection>) => Promise<T>): Promise<T> {
  const client = new MongoClient(stack.mongodbUri);
  try {
    return await use(client.db('fairlead_connections').collection<StoredConnection>('connections'));
  } finally {
    await client.close();
  }
}

/** Runs `use` while a connection's document has these values. */
async function whileDamaged(
  id: number,
  damage: Readonly<Record<string, unknown>>,
  use: () => Promise<void>,
): Promise<void> {
  const before = await inConnections((connections) => connections.findOne({ _id: id }));
  if (before === null) throw new Error(`There is no connection ${id}`);
  await inConnections((connections) => connections.updateOne({ _id: id }, { $set: damage }));
  try {
    await use();
  } finally {
    await inConnections((connections) => connections.replaceOne({ _id: id }, before));
  }
}
