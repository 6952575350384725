import { dataKeyCollection } from '@fairlead/sealing/data-keys';
import { eraseAll, exportAll } from '@fairlead/service-kit/testing/account-data';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testConfig } from '@fairlead/sandbox-crm/testing/sandbox';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { byKey, openSession } from './testing/connect-sessions.ts';
import {
  create,
  createBySignIn,
  createCrmAuthProvider,
  otherClient,
  signIn,
  startCrmSignIn,
  startWorld,
} from './testing/world.ts';
import type { World } from './testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld(inject('mongodbUri'), { ownClientMethods: [0] });
});
afterAll(() => world.close());

/** Documents in the service's database that name the account, by collection. */
async function tracesOf(accountId: string): Promise<Record<string, number>> {
  const traces: Record<string, number> = {};
  for (const { name } of await world.db.listCollections().toArray()) {
    const documents = await world.db.collection(name).find().toArray();
    const count = documents.filter((document) => JSON.stringify(document).includes(accountId)).length;
    if (count > 0) traces[name] = count;
  }
  return traces;
}

test('an account gets its own connections only, without secrets', async () => {
  const [mine, other] = [testContext(), testContext()];
  const { accountId } = mine.caller as { accountId: string };
  const keyed = await create(world, mine, { connectionName: 'By key', metadata: { team: 'a' } });
  const bySignIn = await createBySignIn(world, mine);
  await create(world, other, { connectionName: 'Foreign' });
  await createCrmAuthProvider(world, mine);
  await createCrmAuthProvider(world, other);
  const { token, sessionId } = await openSession(world, mine, {
    metadataJson: Buffer.from('{"plan":"gold"}'),
  });
  await openSession(world, other);
  const exported = await exportAll(world.instance.accountData, accountId);
  expect(Object.keys(exported)).toEqual(['connections', 'authProviders', 'connectSessions']);
  expect(exported['connectSessions']).toMatchObject([
    { id: sessionId, endUserId: 'customer-1', metadata: { plan: 'gold' }, connections: [] },
  ]);
  expect(exported['authProviders']).toMatchObject([
    { name: 'Ours', values: { Key1: otherClient.clientId }, secretSlots: ['Key2'] },
  ]);
  expect(exported['connections']).toMatchObject([
    { id: bySignIn.id, grant: 'authorizationCode', applicationSlug: 'sandbox-crm' },
    {
      id: keyed.id,
      connectionName: 'By key',
      isDefault: true,
      licence: { status: 'active', expiresAt: null },
      fields: { apiToken: null },
      secretFields: ['apiToken'],
      metadata: { team: 'a' },
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
    },
  ]);
  const text = JSON.stringify(exported);
  for (const secret of [testConfig.apiToken, otherClient.clientSecret, token, 'tokenHash'])
    expect(text).not.toContain(secret);
  for (const secret of ['credential', 'sealed', 's1.']) expect(text).not.toContain(secret);
});

test('an account is erased whole: connections, their changes and sessions, auth providers, sign-ins of every state, and the key of its secrets first', async () => {
  const [mine, other] = [testContext(), testContext()];
  const { accountId } = mine.caller as { accountId: string };
  await create(world, mine);
  await createCrmAuthProvider(world, mine);
  await startCrmSignIn(world, mine);
  await signIn(world, mine);
  const { page } = await openSession(world, mine);
  await world.instance.pages.connectApplication(page, byKey());
  const kept = await create(world, other);
  expect(await tracesOf(accountId)).toEqual({
    auth_providers: 1,
    changes: 2,
    connect_sessions: 1,
    connection_counts: expect.any(Number) as unknown,
    connections: 2,
    end_users: 1,
    places: 1,
    revocations: 1,
    sign_ins: 2,
    [dataKeyCollection.name]: 1,
  });
  await eraseAll(world.instance.accountData, accountId);
  expect(await tracesOf(accountId)).toEqual({});
  expect(await eraseAll(world.instance.accountData, accountId)).toBe(1);
  const { connection } = await world.instance.connections.getConnection(other, { id: kept.id });
  expect(connection?.id).toBe(kept.id);
});

test('a sign-in of an erased account cannot be completed', async () => {
  const mine = testContext();
  const { accountId } = mine.caller as { accountId: string };
  const state = await startCrmSignIn(world, mine);
  await eraseAll(world.instance.accountData, accountId);
  await expect(
    world.instance.pages.bindBrowser(testContext({ caller: { kind: 'service', service: 'gateway' } }), state),
  ).rejects.toMatchObject({ code: 'OAUTH_STATE_EXPIRED' });
});

test('sign-ins of an account are found by an index', async () => {
  const plan = await world.db.collection('sign_ins').find({ accountId: 'acc_1' }).explain('queryPlanner');
  expect(JSON.stringify(plan)).toContain('"indexName":"of_an_account"');
});
