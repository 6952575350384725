import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startSink } from '@fairlead-services/delivery/testing/sink';
import type { Sink } from '@fairlead-services/delivery/testing/sink';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asOperator, createAccount, createApiKey, createUser, expectStatus } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { call, expectError, expectList, get, patch, post, stack } from './support/api.ts';
import { createConnection, createCrmConnection } from './support/connections.ts';
import { startCrmSignIn } from './support/sign-in.ts';
import { DAY_MS, withinOne } from './support/windows.ts';

// Alone, because it requests the platform's newest account, and runs an erasure beside calls.
const path = '/operator/v1/accounts';
const SOON = { timeout: 90_000, interval: 200 };

let mongo: MongoClient;
let sink: Sink;
beforeAll(async () => {
  mongo = await MongoClient.connect(stack.mongodbUri);
  sink = await startSink(() => 204);
});
afterAll(async () => {
  await mongo.close();
  await sink.close();
});

/** Number of documents that name the account, per collection, in all databases of the stack. */
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

/** Number of registrations at the vendor with addresses of this platform. */
async function registeredAtVendor(): Promise<number> {
  const url = `${stack.sandboxCrm.url}/api/webhooks?top=100`;
  const answer = await fetch(url, { headers: { 'x-api-token': stack.sandboxCrm.apiKey } });
  const { items } = (await answer.json()) as { items: unknown[] }; // the vendor's own list
  return items.length;
}

/** Collections that may name an erased account: the record of its erasure, and the platform's own log of it. */
const TOMBSTONES = new Set(['fairlead_gateway.account_erasures', 'fairlead_gateway.audit_entries']);

/** Data written by concurrent calls is erased by the next sweep, in minutes; the test makes the sweep due while data is left. */
async function expectErased({ accountId }: TestAccount): Promise<void> {
  const erasures = mongo.db('fairlead_gateway').collection<{ _id: string }>('account_erasures');
  const left = async (): Promise<readonly string[]> => {
    const places = Object.keys(await tracesOf(accountId)).filter((place) => !TOMBSTONES.has(place));
    if (places.length > 0)
      await erasures.updateOne({ _id: accountId }, { $set: { nextAt: new Date(), sweepCount: 0 } });
    return places;
  };
  await expect.poll(left, { timeout: 90_000, interval: 1_000 }).toEqual([]);
  const entries = mongo.db('fairlead_gateway').collection('audit_entries');
  expect(await entries.countDocuments({ accountId })).toBe(0);
}

/** An account's triggers of each kind, and a delivered event. */
async function useTriggers(account: TestAccount, connectionId: number) {
  const create = async (path: string, body: Record<string, unknown>) =>
    expectStatus(await post(path, body, account), 201).body;
  const { id: destinationId } = await create('/v1/triggers/destinations', { url: sink.url });
  const common = { name: 'Used', destinationIds: [destinationId] };
  const { id: triggerId, inboundUrl } = await create('/v1/triggers', {
    ...common,
    triggerTypeSlug: 'http_webhook',
  });
  const types = { 'sandbox-crm-contact-created': {}, 'sandbox-crm-deal-updated': {} };
  for (const [triggerTypeSlug, configuration] of Object.entries(types))
    await create('/v1/triggers', { ...common, triggerTypeSlug, connectionId, configuration });
  const configuration = { everySeconds: 10 };
  await create('/v1/triggers', { ...common, triggerTypeSlug: 'schedule', configuration });
  await create('/v1/triggers', { ...common, triggerTypeSlug: 'connection_deleted' });
  const answer = await fetch(inboundUrl, { method: 'POST', body: '{"n":1}' });
  const eventId = String(Reflect.get(Object(await answer.json()), 'id'));
  await expect.poll(() => sink.received.some(({ body }) => body.includes(eventId)), SOON).toBe(true);
  return { destinationId, triggerId, eventId, inboundUrl };
}

/** An account with data in every domain. */
async function usedAccount(): Promise<{
  account: TestAccount;
  connectionId: number;
  historyId: number;
  user: { userId: string; apiKey: string };
  destinationId: string;
  triggerId: string;
  eventId: string;
  inboundUrl: string;
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
  await startCrmSignIn(account.apiKey);
  const executed = await post(
    `/v1/tools/sandbox-crm-whoami/execute?connectionId=${connectionId}`,
    {},
    { ...account, headers: { 'idempotency-key': `operator-${account.accountId}` } },
  );
  const user = await createUser(account, { role: 'developer' });
  const triggers = await useTriggers(account, connectionId);
  return { account, connectionId, historyId: expectStatus(executed, 200).body.historyId, user, ...triggers };
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
  test('[completion.administration.33] holds everything of the account, nothing of another, and no secret', () =>
    withinOne(DAY_MS, async () => {
      const { account, connectionId, historyId, user, ...used } = await usedAccount();
      // Events are counted within seconds.
      const eventsOfToday = async () => (await get('/admin/v1/usage', account)).body.items[0].events;
      await expect.poll(eventsOfToday, SOON).toBeGreaterThan(0);
      const answer = expectStatus(await asOperator('GET', `${path}/${account.accountId}/export`), 200);
      const { body, text } = answer;
      expect(body.account).toMatchObject({ id: account.accountId });
      const usersOf = body.users.map((it: { id: string }) => it.id);
      expect(usersOf).toContain(user.userId);
      expect(body.users).toHaveLength(2);
      expect(body.apiKeys).toHaveLength(2);
      expect(body.connections.map((it: { id: number }) => it.id)).toContain(connectionId);
      // The account's own two connections, and those created for triggers whose applications need none.
      expect(body.connections).toHaveLength(5);
      expect(body.executions).toMatchObject([{ historyId }]);
      expect(body.applications).toMatchObject([{ slug: expect.stringMatching(/^mcp-/) }]);
      const actions = body.auditEntries.map((it: { action: string }) => it.action);
      expect(actions).toEqual(expect.arrayContaining(['createConnection', 'createUser', 'exportAccount']));
      expect(Array.isArray(body.usage)).toBe(true);
      expect(body.triggers).toHaveLength(5);
      expect(body.triggers.map((it: { id: string }) => it.id)).toContain(used.triggerId);
      expect(body.destinations).toMatchObject([{ id: used.destinationId, url: sink.url }]);
      expect(body.events).toContainEqual(
        expect.objectContaining({
          id: used.eventId,
          payload: expect.objectContaining({ body: { n: 1 } }),
          attempts: [expect.objectContaining({ attempt: 1 })],
        }),
      );
      expect(body.eventUsage).toEqual([{ date: expect.any(String), events: expect.any(Number) }]);
      const token = used.inboundUrl.split('/').at(-1);
      expect(text).not.toContain(token);
      expect(Object.keys(body).filter((name) => !/^[a-z]+(?:[A-Z][a-z]+)*$/.test(name))).toEqual([]);
      for (const secret of [account.apiKey, user.apiKey, account.ownerPassword, stack.sandboxCrm.apiKey])
        expect(text).not.toContain(secret);
      expect(text).not.toMatch(/\$argon2|"(?:keyHash|hash|passwordHash|secretHash|sealed)":/);
      expect(text).not.toContain(stack.account.accountId);
      await remove(account);
    }));
});

describe('erasing an account', () => {
  test('[completion.administration.32] leaves nothing of it in any database except the record of the erasure, and no credential works', async () => {
    const { account, user, inboundUrl, eventId } = await usedAccount();
    const other = await usedAccount();
    const registrations = await registeredAtVendor();
    expect(Object.keys(await tracesOf(account.accountId)).length).toBeGreaterThan(8);
    expect((await remove(account)).status).toBe(204);
    expect(await registeredAtVendor()).toBe(registrations - 1);
    for (const { apiKey } of [account, user])
      await expect.poll(async () => (await get('/v1/auth/whoami', { apiKey })).status, SOON).toBe(401);
    const refused = await fetch(inboundUrl, { method: 'POST', body: '{}' });
    expect(refused.status).toBe(404);
    await expectErased(account);
    expectError(await asOperator('GET', `${path}/${account.accountId}`), 404, 'NOT_FOUND');
    expectError(await asOperator('GET', `${path}/${account.accountId}/export`), 404, 'NOT_FOUND');
    expectError(await remove(account), 404, 'NOT_FOUND');
    const platform = expectList(await asOperator('GET', '/operator/v1/audit?top=100&action=deleteAccount'));
    expect(platform.items.map(({ resource }) => resource.id)).toContain(account.accountId);
    expect(sink.received.filter(({ body }) => body.includes(eventId))).toHaveLength(1);
    // The other account is unchanged.
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
    await expect.poll(async () => (await get('/v1/auth/whoami', account)).status, SOON).toBe(401);
    state.isOver = true;
    await Promise.all(callers);
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
