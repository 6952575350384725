import { loadConfig } from '@fairlead/service-kit/config';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { App } from '@fairlead/service-kit/lifecycle/start-service';
import { connectMongo } from '@fairlead/service-kit/mongo/mongo';
import { Secret } from '@fairlead/service-kit/secret';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { generateApiKey } from '@fairlead/access/api-key';
import { WELL_KNOWN_PATHS } from '@fairlead/access/well-known';
import { buildApp } from './app.ts';
import { gatewayConfig } from './config.ts';
import { call } from '@fairlead/rest-kit/testing/edge';
import { gatewayEnvironment } from './testing/gateway-environment.ts';
import { startRemoteIdentity } from './testing/remote-identity.ts';
import type { RemoteIdentity } from './testing/remote-identity.ts';

const PUBLIC_URL = 'http://127.0.0.1:8080';
let identity: RemoteIdentity;
let environment: ReturnType<typeof gatewayEnvironment>;
let app: App;

beforeAll(async () => {
  identity = await startRemoteIdentity({ publicUrl: PUBLIC_URL });
  environment = gatewayEnvironment({
    mongodbUri: inject('mongodbUri'),
    natsUrl: inject('natsUrl'),
    identity,
  });
  app = await buildApp(loadConfig(gatewayConfig, environment));
});

afterAll(async () => {
  await app.close();
  await identity.close();
  const store = await connectMongo({
    uri: new Secret(inject('mongodbUri')),
    database: environment.MONGODB_DATABASE,
    log: createLogger({ service: 'test', level: 'silent' }),
    collections: [],
  });
  await store.db.dropDatabase();
  await store.close();
});

const as = (apiKey: string) => ({ headers: { 'x-api-key': apiKey } });
const whoami = (apiKey: string) => call({ url: app.httpUrl }, 'GET', '/v1/auth/whoami', as(apiKey));

test('a key opens its account, and its use is recorded', async () => {
  const member = identity.addMember();
  const { status, body } = await whoami(member.apiKey);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    accountId: member.account.id,
    accountName: 'Acme',
    userId: member.user.id,
    userEmail: 'olga@test.example',
    credentialType: 'apiKey',
    roles: ['owner'],
    scopes: null,
  });
  await expect.poll(() => identity.keyUses.get(String(body['credentialId']))).toEqual(expect.any(Date));
});

test('a token opens its account, within its scopes', async () => {
  const member = identity.addMember();
  const token = await identity.issueToken(member, { grantId: 'grant_1', scopes: ['tools.read'] });
  const headers = { authorization: `Bearer ${token}`, 'x-api-key': '' };
  const { status, body } = await call({ url: app.httpUrl }, 'GET', '/v1/auth/whoami', { headers });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    accountId: member.account.id,
    credentialType: 'bearer',
    scopes: ['tools.read'],
    permissions: ['tools.read'],
  });
});

test('an unknown well-formed key is 401', async () => {
  expect((await whoami(generateApiKey().reveal())).status).toBe(401);
});

test('[authentication.9, errors.24] an inactive user is 403 with the budgets, an account that is being erased 401', async () => {
  const inactive = identity.addMember({ user: { isActive: false } });
  const { status, body, headers } = await whoami(inactive.apiKey);
  expect([status, body['errorCode']]).toEqual([403, 'ACCOUNT_USER_INACTIVE']);
  expect(headers.get('ratelimit-policy')).toBe('"burst";q=50;w=1, "hourly";q=20000;w=3600');
  const closed = identity.addMember({ account: { erasingAt: timestampFromDate(new Date()) } });
  expect((await whoami(closed.apiKey)).status).toBe(401);
});

test('with the services away, their routes are 503 and the gateway stays ready', async () => {
  const { apiKey } = identity.addMember();
  const { status, body } = await call({ url: app.httpUrl }, 'GET', '/v1/applications', as(apiKey));
  expect([status, body['errorCode']]).toEqual([503, 'UNAVAILABLE']);
  expect((await call({ url: app.httpUrl }, 'GET', '/readyz')).status).toBe(200);
});

test('readiness announces a stop at once; later requests are still served, and their connections closed', async () => {
  const { apiKey } = identity.addMember();
  // Far longer than these few requests take.
  const stopping = await buildApp(loadConfig(gatewayConfig, { ...environment, DRAIN_DELAY_MS: '5000' }));
  const from = (path: string) =>
    call({ url: stopping.httpUrl }, 'GET', path, as(apiKey)).then(({ status, headers }) => [
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

test('what is below /oauth, and all metadata, is identity’s, which learns the client’s address', async () => {
  const anonymous = { headers: { 'x-api-key': '', 'content-type': 'application/x-www-form-urlencoded' } };
  const post = await call({ url: app.httpUrl }, 'POST', '/oauth/token?a=b', { ...anonymous, body: 'c=d' });
  expect(post.body).toMatchObject({
    method: 'POST',
    url: '/oauth/token?a=b',
    body: 'c=d',
    address: expect.stringContaining('127.0.0.1') as unknown,
  });
  for (const path of WELL_KNOWN_PATHS)
    expect((await call({ url: app.httpUrl }, 'GET', path)).body).toMatchObject({ method: 'GET', url: path });
});

test('the document names the public address', async () => {
  const { body } = await call({ url: app.httpUrl }, 'GET', '/openapi.json');
  expect(body['servers']).toEqual([{ url: PUBLIC_URL, description: 'This installation' }]);
});
