import { generateApiKey } from '@fairlead/access/api-key';
import { OperatorService } from '@fairlead/contracts/identity/v1/operator_service_pb';
import { UserService } from '@fairlead/contracts/identity/v1/user_service_pb';
import { loadConfig } from '@fairlead/service-kit/config';
import type { App } from '@fairlead/service-kit/lifecycle/start-service';
import { connectMongo } from '@fairlead/service-kit/mongo/mongo';
import { Secret } from '@fairlead/service-kit/secret';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import type { Answer, Call } from '@fairlead/service-kit/testing/http';
import { openLink } from '@fairlead/service-kit/testing/network';
import type { Link, LinkState } from '@fairlead/service-kit/testing/network';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { buildApp } from './app.ts';
import { gatewayConfig } from './config.ts';
import { routeTable } from './routes/route-table.ts';
import { call } from '@fairlead/rest-kit/testing/edge';
import { gatewayEnvironment } from './testing/gateway-environment.ts';
import { startRemoteIdentity } from './testing/remote-identity.ts';
import type { RemoteIdentity } from './testing/remote-identity.ts';

const OPERATOR_KEY = 'the key of the operator in these tests';

/** Accepts connections but does not answer, like a frozen process. */
const never = () => new Promise<never>(() => undefined);

let identity: RemoteIdentity;
let environment: ReturnType<typeof gatewayEnvironment>;
let link: Link;
let app: App;
let known: Call;
beforeAll(async () => {
  identity = await startRemoteIdentity({
    publicUrl: 'http://127.0.0.1:8080',
    routes: (router) =>
      router
        .service(UserService, { listUsers: never })
        .service(OperatorService, { listAccounts: never, findAccount: never, createAccount: never }),
  });
  environment = gatewayEnvironment({
    mongodbUri: inject('mongodbUri'),
    natsUrl: inject('natsUrl'),
    identity,
  });
  known = { headers: { 'x-api-key': identity.addMember().apiKey } };
  link = await openLink(Number(new URL(inject('mongodbUri')).port));
  app = await buildApp(
    loadConfig(gatewayConfig, {
      ...environment,
      OPERATOR_KEY,
      DATA_TIMEOUT_MS: '5000',
      REQUEST_TIMEOUT_MS: '6000',
      // A direct connection: otherwise the replica set would tell the driver an address that bypasses the link.
      MONGODB_URI: `mongodb://${link.host}:${link.port}/?directConnection=true`,
    }),
  );
});
afterAll(async () => {
  await link.set({ kind: 'pass' });
  await app.close();
  await identity.close();
  await link.close();
  const store = await connectMongo({
    uri: new Secret(inject('mongodbUri')),
    database: environment.MONGODB_DATABASE,
    log: createLogger({ service: 'test', level: 'silent' }),
    collections: [],
  });
  await store.db.dropDatabase();
  await store.close();
});

function ask(method: string, path: string, o: Call = {}): Promise<Answer> {
  return call({ url: app.httpUrl }, method, path, { headers: { 'x-api-key': '' }, ...o });
}

const operator: Call = { headers: { 'x-api-key': OPERATOR_KEY } };
const AWAY = new Set(['503 UNAVAILABLE', '504 TIMEOUT']);

/** Describes an unexpected response; none for the refusals and timeouts that an unavailable dependency may cause. */
async function complaint(name: string, asked: Promise<Answer>): Promise<string[]> {
  const { status, headers, body } = await asked;
  const code = String(body['errorCode']);
  const isEnvelope = body['requestId'] === headers.get('x-request-id');
  return AWAY.has(`${status} ${code}`) && isEnvelope ? [] : [`${name}: ${status} ${String(body['text'])}`];
}

const complaints = async (asked: readonly (readonly [name: string, Promise<Answer>])[]) =>
  (await Promise.all(asked.map(([name, answer]) => complaint(name, answer)))).flat();

/** Resolves when every dependency answers and the gateway has cached the owner of the key `known`. */
async function untilWhole(): Promise<void> {
  await link.set({ kind: 'pass' });
  await identity.set('serve');
  await vi.waitUntil(async () => (await ask('GET', '/v1/auth/whoami', known)).status === 200, {
    timeout: 90_000,
  });
}

async function expectPages(): Promise<void> {
  for (const path of ['/readyz', '/healthz', '/openapi.json', '/docs'])
    expect([path, (await ask('GET', path)).status]).toEqual([path, 200]);
}

/** A cached key is accepted while its budgets last. */
async function expectLetIn(): Promise<void> {
  const answers = await Promise.all(
    ['/v1/auth/whoami', '/v1/applications', '/admin/v1/users'].map((path) => ask('GET', path, known)),
  );
  for (const { status, body } of answers)
    expect(status === 200 || AWAY.has(`${status} ${String(body['errorCode'])}`)).toBe(true);
}

// Concurrent, because each test mostly waits.
describe.each<{ how: string; state: LinkState }>([
  { how: 'refused', state: { kind: 'refuse' } },
  { how: 'a black hole', state: { kind: 'blackHole' } },
])('with MongoDB away ($how)', ({ state }) => {
  beforeAll(async () => {
    await untilWhole();
    await link.set(state);
  });

  test.concurrent('the gateway is ready, and its pages are shown', expectPages);

  test.concurrent(
    'a key that it knows is let in while its budgets last, and then refused likewise',
    expectLetIn,
  );

  test.concurrent('an unknown key is 401, because identity says so', async () => {
    const unknown = { headers: { 'x-api-key': generateApiKey().reveal() } };
    // On a busy machine, identity may need more than the time limit of one call.
    await expect.poll(async () => (await ask('GET', '/v1/auth/whoami', unknown)).status).toBe(401);
  });

  test.concurrent(
    'what must be recorded before it happens, or is stored here, is refused with the envelope of 503, or of 504 where nothing answers',
    async () => {
      expect(
        await complaints([
          ['exportAccount', ask('GET', '/operator/v1/accounts/acc_1/export', operator)],
          ['rotateSigningKey', ask('POST', '/operator/v1/signing-keys/rotate', operator)],
          ['listPlatformAuditEntries', ask('GET', '/operator/v1/audit', operator)],
        ]),
      ).toEqual([]);
    },
  );
});

describe.each(['stop', 'hang'] as const)('with identity away (%s)', (state) => {
  beforeAll(async () => {
    // Repeated if the machine was so busy that NATS seemed silent: cached values are then valid for two seconds only.
    const isLetIn = async (): Promise<boolean> => {
      await untilWhole();
      await identity.set(state);
      return (await ask('GET', '/v1/auth/whoami', known)).status === 200;
    };
    await vi.waitUntil(isLetIn, { timeout: 90_000 });
  });

  test.concurrent('the gateway is ready, and its pages are shown', expectPages);

  test.concurrent('sign-ins are refused with 503 or 504, in time', async () => {
    const answers = await Promise.all([
      ask('POST', '/oauth/token', { body: 'grant_type=client_credentials' }),
      ask('GET', '/oauth/authorize?client_id=client_unknown'),
      ask('GET', '/.well-known/oauth-authorization-server'),
    ]);
    for (const { status, body } of answers)
      expect([503, 504], `${status} ${String(body['text'])}`).toContain(status);
  });

  test.concurrent('every route lets in a key that it knows, or refuses it likewise', expectLetIn);

  test.concurrent(
    'every route refuses a key that it does not know with the envelope of 503, never of 401',
    async () => {
      const routes = routeTable.filter(({ auth }) => auth === 'credential');
      expect(routes.length).toBeGreaterThan(20);
      const unknown = { headers: { 'x-api-key': generateApiKey().reveal() } };
      const asked = routes.map(
        ({ operationId, method, path }) =>
          [operationId, ask(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '1'), unknown)] as const,
      );
      expect(await complaints(asked)).toEqual([]);
    },
  );

  test.concurrent('the operator’s routes that need it do likewise', async () => {
    const paths = routeTable
      .filter(
        ({ auth, method, path }) =>
          auth === 'operator' && method === 'get' && !/\/v1\/(?:audit|canaries)/.test(path),
      )
      .map(({ path }) => path.replaceAll(/\{\w+\}/g, 'acc_0198c9e05f0a7c3b9d4e6f70'));
    expect(paths.length).toBeGreaterThan(1);
    expect(
      await complaints([
        ...paths.map((path) => [path, ask('GET', path, operator)] as const),
        ['createAccount', ask('POST', '/operator/v1/accounts', { ...operator, json: { name: 'Away' } })],
      ]),
    ).toEqual([]);
  });
});
