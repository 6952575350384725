import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { loadConfig } from '@fairlead/service-kit/config';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { connectMongo } from '@fairlead/service-kit/mongo/mongo';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import { Secret } from '@fairlead/service-kit/secret';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { buildApp } from './app.ts';
import type { App } from '@fairlead/service-kit/lifecycle/start-service';
import { gatewayConfig } from './config.ts';
import { generateApiKey } from './access/api-key.ts';
import { announceIdentityChanges } from './identity/events/identity-changes.ts';
import { userCollection } from './identity/storage/user.collection.ts';
import { apiKeyCollection } from './identity/storage/api-key.collection.ts';
import type { SeedSecrets } from './identity/use-cases/seed-account.ts';
import { call } from './testing/edge.ts';

const database = `test_${randomBase62(16)}`;
const environment = {
  MONGODB_URI: inject('mongodbUri'),
  MONGODB_DATABASE: database,
  NATS_URL: inject('natsUrl'),
  CALLER_CONTEXT_KEYS: `v1:${Buffer.alloc(32, 7).toString('base64')}`,
  SEALING_KEYS: `v1:${Buffer.alloc(32, 8).toString('base64')}`,
  // Port 1 is never listened on: the services are away.
  CATALOG_URL: 'http://127.0.0.1:1',
  CONNECTIONS_URL: 'http://127.0.0.1:1',
  TOOLS_URL: 'http://127.0.0.1:1',
  PUBLIC_URL: 'http://127.0.0.1:8080/',
  LOG_LEVEL: 'silent',
};

let directory: string;
let app: App;
let secrets: { readonly account: SeedSecrets; readonly otherAccount: SeedSecrets };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-gateway-'));
  const file = join(directory, 'seed.json');
  const seed = spawn(process.execPath, [fileURLToPath(new URL('seed.ts', import.meta.url)), '--file', file], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(seed, 'exit');
  secrets = JSON.parse(await readFile(file, 'utf8')) as typeof secrets;
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
  return connectMongo({ uri: new Secret(environment.MONGODB_URI), database, log, collections: [] });
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

test('a well-formed key that nobody has is 401', async () => {
  expect((await whoami(generateApiKey().reveal())).status).toBe(401);
});

test('[authentication.9, errors.24] an owner who was made inactive is 403, a revoked key 401', async () => {
  const { apiKey, accountId } = secrets.otherAccount;
  expect((await whoami(apiKey)).status).toBe(200);
  const store = await openStore();
  const nats = await connectNats({ url: new Secret(environment.NATS_URL), name: 'test', log });
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

test('the document names the public address', async () => {
  const { body } = await call({ url: app.httpUrl }, 'GET', '/openapi.json');
  expect(body['servers']).toEqual([{ url: 'http://127.0.0.1:8080', description: 'This installation' }]);
});
