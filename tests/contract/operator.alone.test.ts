import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asOperator, createAccount, createApiKey, createUser, expectStatus } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { call, expectError, expectList, get, patch, post, stack } from './support/api.ts';
import { createConnection, createCrmConnection } from './support/connections.ts';
import { startSignIn } from './support/sign-in.ts';

// Alone: it asks for the newest account of the platform, and races an erasure against calls.
const path = '/operator/v1/accounts';
const SOON = { timeout: 20_000, interval: 200 };

let mongo: MongoClient;
beforeAll(async () => {
  mongo = await MongoClient.connect(stack.mongodbUri);
});
afterAll(() => mongo.close());

/** How many documents of each collection, of every database of the stack, name the account. */
async function tracesOf(accountId: string): Promise<Record<string, number>> {
  const { databases } = await mongo.db().admin().listDatabases();
  const traces: Record<string, number> = {};
  for (const { name } of databases.filter((database) => database.name.startsWith('fairlead_'))) {
    for (const collection of await mongo.db(name).listCollections({}, { nameOnly: true }).toArray()) {
      const documents = await mongo.db(name).collection(collection.name).find().toArray();
      const count = documents.filter((document) => JSON.stringify(document).includes(accountId)).length;
      if (count > 0) traces[`${name}.${collection.name}`] = count;
    }
  }
  return traces;
}

/** What may name an erased account: that it was erased, and the platform's own log of it. */
const TOMBSTONES = new Set(['fairlead_gateway.account_erasures', 'fairlead_gateway.audit_entries']);

async function expectErased({ accountId }: TestAccount): Promise<void> {
  await expect
    .poll(async () => Object.keys(await tracesOf(accountId)).filter((place) => !TOMBSTONES.has(place)), SOON)
    .toEqual([]);
  const entries = mongo.db('fairlead_gateway').collection('audit_entries');
  expect(await entries.countDocuments({ accountId })).toBe(0);
}

/** An account that has something of every domain. */
async function usedAccount(): Promise<{
  account: TestAccount;
  connectionId: number;
  historyId: number;
  user: { userId: string; apiKey: string };
}> {
  const account = await createAccount();
  const { id: connectionId } = await createCrmConnection('Used', account.apiKey);
  await createConnection(
    {
      applicationSlug: 'mcp',
      connectionName: 'Everything',
      authenticationId: 0,
      fields: { serverUrl: stack.samples.mcpServerUrl },
    },
    account.apiKey,
  );
  await startSignIn(account.apiKey);
  const executed = await post(
    `/v1/tools/sandbox-crm-whoami/execute?connectionId=${connectionId}`,
    {},
    { ...account, headers: { 'idempotency-key': `operator-${account.accountId}` } },
  );
  const user = await createUser(account, { role: 'developer' });
  return { account, connectionId, historyId: expectStatus(executed, 200).body.historyId, user };
}

const remove = (account: TestAccount) => asOperator('DELETE', `${path}/${account.accountId}`);

describe('the operator', () => {
  test('is known by the operator’s key alone, which opens nothing else', async () => {
    const account = await createAccount();
    for (const apiKey of [account.apiKey, null, 'x'.repeat(40)])
      expectError(await get(path, { apiKey }), 401, 'UNAUTHORIZED');
    for (const route of ['/v1/auth/whoami', '/admin/v1/account'])
      expectError(await get(route, { apiKey: stack.operatorKey }), 401, 'UNAUTHORIZED');
    const bearer = { apiKey: null, headers: { authorization: `Bearer ${stack.operatorKey}` } };
    expectList(await get(path, bearer));
    await remove(account);
  });

  test('[completion.administration.30, completion.administration.31] makes an account with its settings whole, whose key works at once', async () => {
    const settings = { isRbacEnabled: true, defaultLicence: 'none', budgets: { hourly: 1_234 } };
    const body = { name: 'Made', ownerEmail: 'Made@Operator.example', ownerName: 'Maker', ...settings };
    const { body: made } = expectStatus(await asOperator('POST', path, body), 201);
    expect(made).toMatchObject({
      name: 'Made',
      isRbacEnabled: true,
      defaultLicence: 'none',
      budgets: { hourly: 1_234, burstPerSecond: 50 },
      erasingAt: null,
      owner: { userId: expect.stringMatching(/^usr_/), email: 'made@operator.example' },
    });
    const { apiKey } = made;
    expect((await get('/v1/auth/whoami', { apiKey })).body).toMatchObject({
      accountId: made.accountId,
      userName: 'Maker',
      roles: ['owner'],
    });
    const { apiKey: _once, owner: _owner, ...record } = made;
    expect((await asOperator('GET', `${path}/${made.accountId}`)).body).toEqual(record);
    expect(expectList(await asOperator('GET', `${path}?top=1`)).items).toEqual([record]);
    await remove({ ...made, ownerEmail: '', ownerPassword: '' });
  });

  test('[completion.administration.30] changes an account, budget by budget', async () => {
    const account = await createAccount();
    const change = { name: 'Changed', budgets: { searchPerSecond: 9 } };
    const { body } = expectStatus(await asOperator('PATCH', `${path}/${account.accountId}`, change), 200);
    expect(body).toMatchObject({ name: 'Changed', budgets: { searchPerSecond: 9, hourly: 1_000_000_000 } });
    expect((await get('/admin/v1/account', account)).body.name).toBe('Changed');
    await remove(account);
  });

  test('finds whether and where the audit log of an account was altered', async () => {
    const account = await createAccount();
    await patch('/admin/v1/account', { name: 'Once' }, account);
    await createApiKey(account);
    const verify = async () => (await asOperator('GET', `${path}/${account.accountId}/audit/verify`)).body;
    await expect.poll(verify, SOON).toMatchObject({ isIntact: true, unchainedCount: 0 });
    expect((await verify()).entryCount).toBeGreaterThan(1);
    const entries = mongo.db('fairlead_gateway').collection('audit_entries');
    await entries.updateOne(
      { accountId: account.accountId, action: 'updateAccount' },
      { $set: { outcome: 'failed' } },
    );
    const { isIntact, brokenBatch } = await verify();
    expect([isIntact, brokenBatch >= 1]).toEqual([false, true]);
    expect((await asOperator('GET', '/operator/v1/audit/verify')).body.isIntact).toBe(true);
    await remove(account);
  });
});

describe('an export', () => {
  test('[completion.administration.33] holds everything of the account, nothing of another, and no secret', async () => {
    const { account, connectionId, historyId, user } = await usedAccount();
    const answer = expectStatus(await asOperator('GET', `${path}/${account.accountId}/export`), 200);
    const { body, text } = answer;
    expect(body.account).toMatchObject({ id: account.accountId });
    const usersOf = body.users.map((it: { id: string }) => it.id);
    expect(usersOf).toContain(user.userId);
    expect(body.users).toHaveLength(2);
    expect(body.apiKeys).toHaveLength(2);
    expect(body.connections.map((it: { id: number }) => it.id)).toContain(connectionId);
    expect(body.connections).toHaveLength(2);
    expect(body.executions).toMatchObject([{ historyId }]);
    expect(body.applications).toMatchObject([{ slug: expect.stringMatching(/^mcp-/) }]);
    const actions = body.auditEntries.map((it: { action: string }) => it.action);
    expect(actions).toEqual(expect.arrayContaining(['createConnection', 'createUser', 'exportAccount']));
    expect(Array.isArray(body.usage)).toBe(true);
    for (const secret of [account.apiKey, user.apiKey, account.ownerPassword, stack.sandboxCrm.apiKey])
      expect(text).not.toContain(secret);
    expect(text).not.toMatch(/\$argon2|"(?:keyHash|hash|passwordHash|secretHash|sealed)":/);
    expect(text).not.toContain(stack.account.accountId);
    await remove(account);
  });
});

describe('erasing an account', () => {
  test('[completion.administration.32] leaves nothing of it in any database except the record of the erasure, and no credential works', async () => {
    const { account, user } = await usedAccount();
    const other = await usedAccount();
    expect(Object.keys(await tracesOf(account.accountId)).length).toBeGreaterThan(8);
    expect((await remove(account)).status).toBe(204);
    for (const { apiKey } of [account, user])
      await expect.poll(async () => (await get('/v1/auth/whoami', { apiKey })).status, SOON).toBe(401);
    await expectErased(account);
    expectError(await asOperator('GET', `${path}/${account.accountId}`), 404, 'NOT_FOUND');
    expectError(await asOperator('GET', `${path}/${account.accountId}/export`), 404, 'NOT_FOUND');
    expectError(await remove(account), 404, 'NOT_FOUND');
    const platform = expectList(await asOperator('GET', '/operator/v1/audit?top=100&action=deleteAccount'));
    expect(platform.items.map(({ resource }) => resource.id)).toContain(account.accountId);
    // The neighbour is as it was.
    expectStatus(await get(`/v1/connections/${other.connectionId}`, other.account), 200);
    expectStatus(await get(`/v1/executions/${other.historyId}`, other.account), 200);
    await remove(other.account);
  });

  test('while its own calls run, brings nothing of it back', async () => {
    const { account } = await usedAccount();
    const state = { isOver: false };
    const callers = Array.from({ length: 4 }, async () => {
      while (!state.isOver) {
        await post(
          '/v1/connections',
          {
            applicationSlug: 'sandbox-crm',
            connectionName: 'Racing',
            authenticationId: 1,
            fields: { apiToken: stack.sandboxCrm.apiKey },
          },
          account,
        );
        await patch('/admin/v1/account', { name: 'Racing' }, account);
      }
    });
    expect((await remove(account)).status).toBe(204);
    // What was let in before is erased by the next sweep, whose time comes in minutes: brought forward here.
    await expect.poll(async () => (await get('/v1/auth/whoami', account)).status, SOON).toBe(401);
    state.isOver = true;
    await Promise.all(callers);
    const erasures = mongo.db('fairlead_gateway').collection<{ _id: string }>('account_erasures');
    await erasures.updateOne({ _id: account.accountId }, { $set: { nextAt: new Date() } });
    await expectErased(account);
  });
});

test('every service with a database has AccountDataService', async () => {
  const folder = fileURLToPath(new URL('../../services', import.meta.url));
  const names = readdirSync(folder).filter(
    (name) =>
      name !== 'gateway' &&
      readFileSync(`${folder}/${name}/src/config.ts`, 'utf8').includes('MONGODB_DATABASE'),
  );
  expect(names.length).toBeGreaterThan(2);
  for (const name of names) {
    const answer = await call('POST', `${stack.services[name]}/grpc.health.v1.Health/Check`, {
      body: { service: 'fairlead.common.v1.AccountDataService' },
      apiKey: null,
    });
    expect(answer.body, name).toEqual({ status: 'SERVING' });
  }
});
