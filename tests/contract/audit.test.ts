import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asOperator, createAccount, createApiKey, createUser, removeAccount } from './support/accounts.ts';
import { recomputeChain, storedEntries } from './support/audit-chain.ts';
import type { StoredEntry } from './support/audit-chain.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { call, del, expectError, expectList, get, patch, post, put, stack } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';

const path = '/admin/v1/audit';

let account: TestAccount;
let ownerId: string;
beforeAll(async () => {
  account = await createAccount();
  ownerId = (await get('/v1/auth/whoami', account)).body.userId;
});
afterAll(() => removeAccount(account));

async function entries(query = ''): Promise<any[]> {
  return expectList(await get(`${path}?top=100${query}`, account)).items;
}

/** The audit entries with the response's request id. */
async function entriesOf(answer: Answer): Promise<any[]> {
  const requestId = answer.headers.get('x-request-id');
  return (await entries()).filter((entry) => entry.requestId === requestId);
}

/** Checks that times are sorted, latest first. */
function expectDescending(times: readonly string[]): void {
  expect(times).toEqual([...times].sort().reverse());
}

describe('the audit log', () => {
  test('it records who did what to which record, with which credential, in which request, and when', async () => {
    const before = new Date(Date.now() - 1000).toISOString();
    const { id, apiKey } = await createApiKey(account, { name: 'Audited' });
    const answer = await patch('/admin/v1/account', { name: 'Audited' }, { apiKey });
    expect(await entriesOf(answer)).toEqual([
      expect.objectContaining({
        actor: {
          kind: 'user',
          userId: ownerId,
          userName: expect.stringMatching(/./),
          credentialType: 'apiKey',
          credentialId: id,
        },
        action: 'updateAccount',
        outcome: 'succeeded',
      }),
    ]);
    const [entry] = await entriesOf(answer);
    expect(entry.createdAt > before).toBe(true);
    expect(entry.id).toMatch(/^aud_/);
  });

  test('every operation that changes something has an entry with its record', async () => {
    const connection = await createCrmConnection('Audited', account.apiKey);
    const body = { connectionName: 'Audited again' };
    const user = await post('/admin/v1/users', { email: `${randomUUID()}@audit.example` }, account);
    const key = await post('/admin/v1/api-keys', { name: 'Audited' }, account);
    const changes: [answer: Answer, action: string, resourceId: unknown][] = [
      [await put(`/v1/connections/${connection.id}`, body, account), 'replaceConnection', connection.id],
      [
        await put(`/v1/connections/${connection.id}/default`, undefined, account),
        'setDefaultConnection',
        connection.id,
      ],
      [
        await put(`/admin/v1/connections/${connection.id}/licence`, { status: 'none' }, account),
        'setLicence',
        connection.id,
      ],
      [await del(`/v1/connections/${connection.id}`, account), 'deleteConnection', connection.id],
      [user, 'createUser', user.body.userId],
      [
        await patch(`/admin/v1/users/${user.body.userId}`, { isActive: false }, account),
        'updateUser',
        user.body.userId,
      ],
      [key, 'createApiKey', key.body.id],
      [await del(`/admin/v1/api-keys/${key.body.id}`, account), 'revokeApiKey', key.body.id],
    ];
    for (const [answer, action, id] of changes) {
      expect(answer.status, `${action}: ${answer.text}`).toBeLessThan(300);
      const [entry, ...more] = await entriesOf(answer);
      expect(more).toEqual([]);
      expect(entry, action).toMatchObject({ action, outcome: 'succeeded', resource: { id: String(id) } });
    }
  });

  test('it records what is done to an on-prem agent, and that its token was read', async () => {
    const agents = '/v1/on-prem-agents';
    const sent = { applicationSlug: 'onprem-http', name: 'Audited' };
    const created = await post(agents, sent, account);
    const { id, token } = created.body;
    const done: [answer: Answer, action: string, isBefore?: true][] = [
      [created, 'createOnPremAgent'],
      [await patch(`${agents}/${id}`, { settings: { logLevel: 'Debug' } }, account), 'updateOnPremAgent'],
      // The entry is written first, so that nobody gets a token without an entry.
      [await get(`${agents}/${id}/token`, account), 'getOnPremAgentToken', true],
      [await post(`${agents}/${id}/token?confirm=true`, undefined, account), 'rotateOnPremAgentToken', true],
      [await del(`${agents}/${id}`, account), 'deleteOnPremAgent'],
    ];
    for (const [answer, action, isBefore] of done) {
      expect(answer.status, `${action}: ${answer.text}`).toBeLessThan(300);
      const found = await entriesOf(answer);
      const entry = (outcome: string) => ({ action, outcome, resource: { id: String(id) } });
      const expected = [entry('succeeded'), ...(isBefore === true ? [entry('attempted')] : [])];
      expect(found, action).toMatchObject(expected);
      expect(JSON.stringify(found)).not.toContain(token);
    }
  });

  test('reads, refused calls and calls that the history records have none', async () => {
    await createCrmConnection('Executed', account.apiKey);
    const executed = await post('/v1/tools/sandbox-crm-whoami/execute', {}, account);
    expect(executed.status, executed.text).toBe(200);
    const answers = [
      executed,
      await get('/v1/connections', account),
      await post('/v1/connections', {}, account),
      await del('/v1/connections/999999', account),
    ];
    for (const answer of answers) expect(await entriesOf(answer), answer.text).toEqual([]);
  });

  test('what the operator does to an account is in the account’s log', async () => {
    const answer = await call('PATCH', `/operator/v1/accounts/${account.accountId}`, {
      apiKey: stack.operatorKey,
      body: { name: 'By the operator' },
    });
    expect(answer.status, answer.text).toBe(200);
    const [entry] = await entriesOf(answer);
    expect(entry).toMatchObject({ outcome: 'succeeded', actor: { kind: 'operator', userId: null } });
    expect((await entries('&actor=operator')).map(({ id }) => id)).toContain(entry.id);
  });

  test('[completion.administration.28] it can be narrowed down by actor, action and time, and pages newest first', async () => {
    const user = await createUser(account, { role: 'admin' });
    await patch('/admin/v1/account', { name: 'By a colleague' }, user);
    const all = await entries();
    expectDescending(all.map(({ createdAt }) => createdAt));
    const byUser = await entries(`&actor=${user.userId}`);
    expect(byUser.map(({ action }) => action)).toEqual(['updateAccount']);
    const created = await entries('&action=createUser');
    expect(created.length).toBeGreaterThan(0);
    expect(created.every(({ action }) => action === 'createUser')).toBe(true);
    const middle = all[Math.floor(all.length / 2)].createdAt;
    const since = await entries(`&from=${encodeURIComponent(middle)}`);
    const until = await entries(`&to=${encodeURIComponent(middle)}`);
    expect(since.length + until.length).toBe(all.length);
    expect(since.some(({ createdAt }) => createdAt === middle)).toBe(true);
    expect(await entries('&action=nothing')).toEqual([]);
    expectError(await get(`${path}?from=yesterday`, account), 400, 'VALIDATION_ERROR', ['from']);
  });

  test('a replayed request has one entry', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = (): Promise<Answer> => post('/admin/v1/api-keys', { name: 'Once' }, { ...account, headers });
    const first = await send();
    const again = await send();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await entriesOf(first)).toHaveLength(1);
    expect(await entriesOf(again)).toEqual([]);
  });

  test('it is the account’s own, for its administrators', async () => {
    const other = await createAccount();
    const developer = await createUser(account, { role: 'developer' });
    expectError(await get(path, developer), 403, 'FORBIDDEN');
    const ids = new Set((await entries()).map(({ id }) => id));
    const others = expectList(await get(`${path}?top=100`, other)).items;
    expect(others.length).toBeGreaterThan(0);
    expect(others.filter(({ id }) => ids.has(id))).toEqual([]);
    await removeAccount(other);
  });

  test('it cannot be written or deleted', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expectError(await call(method, path, account), 405, 'METHOD_NOT_ALLOWED');
    }
  });
});

describe('somebody who writes to the database and has no key of the audit chain', () => {
  let mongo: MongoClient;
  beforeAll(async () => {
    mongo = await MongoClient.connect(stack.mongodbUri);
  });
  afterAll(() => mongo.close());

  const gateway = () => mongo.db('fairlead_gateway');
  const verify = async (accountId: string) =>
    (await asOperator('GET', `/operator/v1/accounts/${accountId}/audit/verify`)).body;

  /** An account with some chained entries, in order, which verify as intact. */
  async function chainedAccount() {
    const victim = await createAccount();
    for (const name of ['One', 'Two', 'Three']) await patch('/admin/v1/account', { name }, victim);
    const { accountId } = victim;
    await expect
      .poll(() => verify(accountId), { timeout: 90_000 })
      .toMatchObject({ isIntact: true, unchainedCount: 0 });
    const chained = await storedEntries(gateway())
      .find({ accountId })
      .sort({ batch: 1, position: 1 })
      .toArray();
    const [before, entry] = chained.slice(-2);
    if (before === undefined || entry === undefined) throw new Error('The entries are missing.');
    return { victim, accountId, before, entry };
  }

  type Attack = (o: { entry: StoredEntry; before: StoredEntry }) => Promise<string>;
  const stored = () => storedEntries(gateway());
  const attacks: [string, Attack][] = [
    [
      'change',
      async ({ entry }) => {
        await stored().updateOne({ _id: entry._id }, { $set: { outcome: 'failed' } });
        return entry._id;
      },
    ],
    [
      'remove',
      async ({ entry }) => {
        await stored().deleteOne({ _id: entry._id });
        return entry._id;
      },
    ],
    [
      'insert',
      async ({ entry: { accountId, batch, position, ...entry } }) => {
        await stored().updateMany(
          { accountId, batch, position: { $gte: position } },
          { $inc: { position: 1 } },
        );
        const forged = { ...entry, _id: `aud_forged_${accountId}`, accountId, batch, position };
        await stored().insertOne(forged);
        return forged._id;
      },
    ],
  ];

  test.each(attacks)(
    'can %s no entry unnoticed, though all hashes are made anew: it is named',
    async (_verb, attack) => {
      const { victim, accountId, before, entry } = await chainedAccount();
      const entryId = await attack({ entry, before });
      // The entries may be in several batches; batches before the attacked one stay intact.
      await recomputeChain(gateway(), accountId, { from: entry.batch, isStripped: false });
      expect(await verify(accountId)).toMatchObject({
        isIntact: false,
        brokenBatch: entry.batch,
        brokenFrom: { batch: entry.batch, entryId, afterEntryId: before._id },
        problem: expect.stringMatching(/entry/),
      });
      await removeAccount(victim);
    },
  );

  test('cannot make a chain pass that has lost its keys, and a log goes on being broken there', async () => {
    const { victim, accountId, entry } = await chainedAccount();
    await stored().updateOne({ _id: entry._id }, { $set: { outcome: 'failed' } });
    await recomputeChain(gateway(), accountId, { from: 1, isStripped: true });
    const broken = { isIntact: false, brokenBatch: 1, problem: expect.stringMatching(/has no key/) };
    expect(await verify(accountId)).toMatchObject(broken);
    await patch('/admin/v1/account', { name: 'Later' }, victim);
    await expect
      .poll(() => verify(accountId), { timeout: 90_000 })
      .toMatchObject({ ...broken, unchainedCount: 0 });
    await removeAccount(victim);
  });

  test('cannot have a chain taken for verified by naming a key that nobody has', async () => {
    const { victim, accountId, entry } = await chainedAccount();
    const batches = gateway().collection('audit_batches');
    await batches.updateOne({ accountId, sequence: entry.batch }, { $set: { keyId: 'nobody' } });
    expect(await verify(accountId)).toMatchObject({
      isIntact: false,
      brokenBatch: null,
      missingKeyId: 'nobody',
      problem: 'The key nobody is not configured.',
    });
    await removeAccount(victim);
  });

  test('cannot show an entry that is in no batch', async () => {
    const { victim, accountId, entry } = await chainedAccount();
    await stored().insertOne({ ...entry, _id: `aud_hidden_${accountId}`, batch: -1 });
    expect(await verify(accountId)).toMatchObject({
      isIntact: false,
      brokenFrom: { entryId: `aud_hidden_${accountId}` },
    });
    await removeAccount(victim);
  });

  test('every batch has a key, in the platform’s own log too', async () => {
    const whole = { isIntact: true, brokenFrom: null, missingKeyId: null, keylessEntryCount: 0 };
    const { victim, accountId } = await chainedAccount();
    expect(await verify(accountId)).toMatchObject(whole);
    expect((await asOperator('GET', '/operator/v1/audit/verify')).body).toMatchObject(whole);
    await removeAccount(victim);
  });
});
