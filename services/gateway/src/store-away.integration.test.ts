import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { generateApiKey } from '@fairlead/access/api-key';
import { routeTable } from './routes/route-table.ts';
import { call } from './testing/edge.ts';
import { gatewayEnvironment, seed } from './testing/seeded-gateway.ts';

const OPERATOR_KEY = 'the key of the operator in these tests';
const direct = gatewayEnvironment({ mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') });

let directory: string;
let link: Link;
let app: App;
let apiKey: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-gateway-'));
  ({ apiKey } = (await seed(direct, join(directory, 'seed.json'))).account);
  link = await openLink(Number(new URL(inject('mongodbUri')).port));
  app = await buildApp(
    loadConfig(gatewayConfig, {
      ...direct,
      OPERATOR_KEY,
      // Direct, because the replica set would tell the driver its own address, past the link.
      MONGODB_URI: `mongodb://${link.host}:${link.port}/?directConnection=true`,
    }),
  );
});
afterAll(async () => {
  await link.set({ kind: 'pass' });
  await app.close();
  await link.close();
  const store = await connectMongo({
    uri: new Secret(inject('mongodbUri')),
    database: direct.MONGODB_DATABASE,
    log: createLogger({ service: 'test', level: 'silent' }),
    collections: [],
  });
  await store.db.dropDatabase();
  await store.close();
  await rm(directory, { recursive: true });
});

function ask(method: string, path: string, o: Call = {}): Promise<Answer> {
  return call({ url: app.httpUrl }, method, path, { headers: { 'x-api-key': '' }, ...o });
}

const AWAY = new Set(['503 UNAVAILABLE', '504 TIMEOUT']);

/** What is wrong with an answer that the database's absence should have refused. */
async function complaint(name: string, asked: Promise<Answer>): Promise<string[]> {
  const { status, headers, body } = await asked;
  const code = String(body['errorCode']);
  const isEnvelope = body['requestId'] === headers.get('x-request-id');
  return AWAY.has(`${status} ${code}`) && isEnvelope ? [] : [`${name}: ${status} ${String(body['text'])}`];
}

const complaints = async (asked: readonly (readonly [name: string, Promise<Answer>])[]) =>
  (await Promise.all(asked.map(([name, answer]) => complaint(name, answer)))).flat();

const form = (fields: Record<string, string>): Call => ({
  headers: { 'x-api-key': '', 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});

// At the same time, because most of each is waiting.
describe.each<{ how: string; state: LinkState }>([
  { how: 'refused', state: { kind: 'refuse' } },
  { how: 'a black hole', state: { kind: 'blackHole' } },
])('with MongoDB away ($how)', ({ state }) => {
  beforeAll(async () => {
    await link.set({ kind: 'pass' });
    // Whose key it is stays known for a while.
    const known = { headers: { 'x-api-key': apiKey } };
    await vi.waitUntil(async () => (await ask('GET', '/v1/auth/whoami', known)).status === 200, {
      timeout: 20_000,
    });
    await link.set(state);
  });

  test.concurrent('the gateway is ready', async () => {
    for (const path of ['/readyz', '/healthz']) expect((await ask('GET', path)).status).toBe(200);
  });

  test.concurrent(
    'every route refuses a key that it does not know with the envelope of 503, or of 504 where nothing answers',
    async () => {
      const routes = routeTable.filter(({ auth }) => auth === 'credential');
      expect(routes.length).toBeGreaterThan(20);
      const unknown = { headers: { 'x-api-key': generateApiKey().reveal() } };
      expect(
        await complaints(
          routes.map(({ operationId, method, path }) => [
            operationId,
            ask(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '1'), unknown),
          ]),
        ),
      ).toEqual([]);
    },
  );

  test.concurrent('the operator’s routes do likewise', async () => {
    const operator = { headers: { 'x-api-key': OPERATOR_KEY } };
    const paths = routeTable
      .filter(({ auth, method, path }) => auth === 'operator' && method === 'get' && !path.includes('audit'))
      .map(({ path }) => path.replaceAll(/\{\w+\}/g, 'acc_0198c9e05f0a7c3b9d4e6f70'));
    expect(paths.length).toBeGreaterThan(1);
    expect(
      await complaints([
        ...paths.map((path) => [path, ask('GET', path, operator)] as const),
        [
          'createAccount',
          ask('POST', '/operator/v1/accounts', {
            ...operator,
            json: { name: 'Away', ownerEmail: 'owner@away.example' },
          }),
        ],
      ]),
    ).toEqual([]);
  });

  test.concurrent(
    'a key that it knows is let in while its budgets last, and then refused likewise',
    async () => {
      const known = { headers: { 'x-api-key': apiKey } };
      const answers = await Promise.all(
        ['/v1/auth/whoami', '/v1/applications', '/admin/v1/users'].map((path) => ask('GET', path, known)),
      );
      for (const { status, body } of answers) {
        expect(status === 200 || AWAY.has(`${status} ${String(body['errorCode'])}`)).toBe(true);
      }
    },
  );

  test.concurrent('the authorization server answers 503, or 504, to clients and on its pages', async () => {
    const redirect = { client_id: 'client_unknown', redirect_uri: 'http://127.0.0.1/back' };
    const answers = await Promise.all([
      ask('POST', '/oauth/token', form({ grant_type: 'authorization_code', code: 'x', ...redirect })),
      ask('POST', '/oauth/device/authorize', form({ client_id: 'fairlead-cli' })),
      ask('POST', '/oauth/register', { json: { redirect_uris: ['http://127.0.0.1/back'] } }),
      ask('GET', `/oauth/authorize?${String(new URLSearchParams({ response_type: 'code', ...redirect }))}`),
      ask('POST', '/oauth/device', form({ user_code: 'BCDF-GHJK' })),
    ]);
    for (const { status, body } of answers) {
      expect([503, 504], `${status} ${String(body['text'])}`).toContain(status);
    }
  });

  test.concurrent('what needs no database is answered', async () => {
    for (const path of ['/openapi.json', '/docs', '/.well-known/oauth-protected-resource', '/oauth/jwks']) {
      expect([path, (await ask('GET', path)).status]).toEqual([path, 200]);
    }
    // Its service is unavailable, too.
    expect((await ask('GET', '/connect/start/unknown')).status).toBe(503);
  });
});
