import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@fairlead/service-kit/config';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { connectMongo } from '@fairlead/service-kit/mongo/mongo';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import { Secret } from '@fairlead/service-kit/secret';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { buildApp } from './app.ts';
import type { App } from '@fairlead/service-kit/lifecycle/start-service';
import { gatewayConfig } from './config.ts';
import { generateApiKey } from '@fairlead/access/api-key';
import { announceIdentityChanges } from 'CROSS:services/identity/src/events/identity-changes.ts';
import { userCollection } from 'CROSS:services/identity/src/storage/user.collection.ts';
import { apiKeyCollection } from 'CROSS:services/identity/src/storage/api-key.collection.ts';
import { call } from './testing/edge.ts';
import { gatewayEnvironment, seed } from './testing/seeded-gateway.ts';
import type { SeededAccounts } from './testing/seeded-gateway.ts';

const environment = gatewayEnvironment({ mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') });

let directory: string;
let app: App;
let secrets: SeededAccounts;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-gateway-'));
  secrets = await seed(environment, join(directory, 'seed.json'));
  app = await buildApp(loadConfig(gatewayConfig, environment));
});

afterAll(async () => {
  await app.close();
  const store = await openStore();
  await store.db.dropDatabase();
  await store.close();
  await rm(directory, { recursive: true });
});

const log = createLogger({ service: 'test', level: 'silent' });

function openStore() {
  return connectMongo({
    uri: new Secret(inject('mongodbUri')),
    database: environment.MONGODB_DATABASE,
    log,
    collections: [],
  });
}

const as = (apiKey: string) => ({ headers: { 'x-api-key': apiKey } });
const whoami = (apiKey: string) => call({ url: app.httpUrl }, 'GET', '/v1/auth/whoami', as(apiKey));

test('the keys that the seed command made open their accounts', async () => {
  const { status, body } = await whoami(secrets.account.apiKey);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    accountId: secrets.account.accountId,
    accountName: 'Fairlead',
    userEmail: secrets.account.ownerEmail,
    credentialType: 'apiKey',
    roles: ['owner'],
    scopes: [],
  });
  expect((await whoami(secrets.otherAccount.apiKey)).body['accountId']).toBe(secrets.otherAccount.accountId);
});

test('an unknown well-formed key is 401', async () => {
  expect((await whoami(generateApiKey().reveal())).status).toBe(401);
});

test('[authentication.9, errors.24] an owner who was made inactive is 403, a revoked key 401', async () => {
  const { apiKey, accountId } = secrets.otherAccount;
  expect((await whoami(apiKey)).status).toBe(200);
  const store = await openStore();
  const nats = await connectNats({ url: new Secret(inject('natsUrl')), name: 'test', log });
  const changeIdentity = announceIdentityChanges({ nats, log });
  await changeIdentity(accountId, () =>
    store.collection(userCollection).updateOne({ accountId }, { $set: { isActive: false } }),
  );
  await expect
    .poll(async () => (await whoami(apiKey)).body['errorCode'], { timeout: 4000 })
    .toBe('ACCOUNT_USER_INACTIVE');
  expect((await whoami(apiKey)).status).toBe(403);
  await changeIdentity(accountId, () =>
    store.collection(apiKeyCollection).updateOne({ accountId }, { $set: { revokedAt: new Date() } }),
  );
  await expect.poll(async () => (await whoami(apiKey)).status, { timeout: 4000 }).toBe(401);
  await nats.close();
  await store.close();
});

test('with the services away, their routes are 503 and the gateway stays ready', async () => {
  const { status, body } = await call(
    { url: app.httpUrl },
    'GET',
    '/v1/applications',
    as(secrets.account.apiKey),
  );
  expect([status, body['errorCode']]).toEqual([503, 'UNAVAILABLE']);
  expect((await call({ url: app.httpUrl }, 'GET', '/readyz')).status).toBe(200);
});

test('readiness announces a stop at once; later requests are still served, and their connections closed', async () => {
  // Far longer than these few requests take.
  const stopping = await buildApp(loadConfig(gatewayConfig, { ...environment, DRAIN_DELAY_MS: '5000' }));
  const from = (path: string) =>
    call({ url: stopping.httpUrl }, 'GET', path, as(secrets.account.apiKey)).then(({ status, headers }) => [
      status,
      headers.get('connection'),
    ]);
  expect(await from('/readyz')).toEqual([200, 'keep-alive']);
  const closed = stopping.close();
  expect(await Promise.all(['/readyz', '/healthz', '/v1/auth/whoami'].map(from))).toEqual([
    [503, 'close'],
    [200, 'close'],
    [200, 'close'],
  ]);
  await closed;
  await expect(from('/readyz')).rejects.toThrow('fetch failed');
});

test('the document names the public address', async () => {
  const { body } = await call({ url: app.httpUrl }, 'GET', '/openapi.json');
  expect(body['servers']).toEqual([{ url: 'http://127.0.0.1:8080', description: 'This installation' }]);
});
