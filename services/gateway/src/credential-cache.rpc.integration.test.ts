import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultLicence } from '@fairlead/contracts/identity/v1/account_pb';
import { Role } from '@fairlead/contracts/identity/v1/user_pb';
import { startNatsServer } from '@fairlead/local-stores/nats-server';
import type { RunningNats } from '@fairlead/local-stores/nats-server';
import { loadConfig } from '@fairlead/service-kit/config';
import type { App } from '@fairlead/service-kit/lifecycle/start-service';
import { connectMongo } from '@fairlead/service-kit/mongo/mongo';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import { Secret } from '@fairlead/service-kit/secret';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { buildApp } from './app.ts';
import { gatewayConfig } from './config.ts';
import { call } from '@fairlead/rest-kit/testing/edge';
import { gatewayEnvironment } from './testing/gateway-environment.ts';
import { untilAnnounced } from './testing/announced.ts';
import { startRemoteIdentity } from './testing/remote-identity.ts';
import type { RemoteIdentity, RemoteMember } from './testing/remote-identity.ts';

/** How long an attempt waits for a change to take effect: less than the two seconds in which it would take effect without a message. */
const ATTEMPT_MS = 1_000;
/** Less than the 30 seconds for which an entry is valid when no message invalidates it. */
const HEARD = { timeout: 25_000, interval: 20 };
/** For tests that a busy machine makes repeat: when NATS seems silent, entries are valid for two seconds only. */
const PATIENCE = { timeout: 100_000, interval: 50 };
/** Timeout of tests that use PATIENCE. */
const LIMIT_MS = 300_000;
const MORE_THAN_ANY = 1_000_000;

const log = createLogger({ service: 'test', level: 'silent' });
let nats: RunningNats;
let directory: string;
let identity: RemoteIdentity;
let environment: ReturnType<typeof gatewayEnvironment>;
let replicas: readonly [App, App];
let member: RemoteMember;

vi.setConfig({ testTimeout: LIMIT_MS });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-gateway-'));
  // An own nats-server, because tests kill it.
  nats = await startNatsServer({ dataDirectory: join(directory, 'nats') });
  identity = await startRemoteIdentity({ publicUrl: 'http://127.0.0.1:8080' });
  environment = gatewayEnvironment({
    mongodbUri: inject('mongodbUri'),
    natsUrl: nats.url,
    identity,
  });
  replicas = [await startGateway(), await startGateway()];
});

beforeEach(() => {
  member = identity.addMember();
  const { budgets } = member.account;
  if (budgets) Object.assign(budgets, { burstPerSecond: MORE_THAN_ANY, hourly: MORE_THAN_ANY });
});
afterEach(() => identity.set('serve'));

afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await identity.close();
  const store = await connectMongo({
    uri: new Secret(inject('mongodbUri')),
    database: environment.MONGODB_DATABASE,
    log,
    collections: [],
  });
  await store.db.dropDatabase();
  await store.close();
  await nats.stop();
  await rm(directory, { recursive: true });
});

const startGateway = () => buildApp(loadConfig(gatewayConfig, environment));

const byKey = (apiKey = member.apiKey) => ({ 'x-api-key': apiKey });

async function whoami(headers: Record<string, string> = byKey(), apps: readonly App[] = replicas) {
  return Promise.all(
    apps.map(({ httpUrl }) => call({ url: httpUrl }, 'GET', '/v1/auth/whoami', { headers })),
  );
}

async function statuses(headers: Record<string, string> = byKey(), apps: readonly App[] = replicas) {
  return (await whoami(headers, apps)).map(({ status }) => status);
}

function setRevoked(isRevoked: boolean): void {
  member.isKeyRevoked = isRevoked;
}

/** Connects as a process that changes identity data. */
async function writer(): Promise<Nats> {
  const connected = await connectNats({ url: new Secret(nats.url), name: 'test', log });
  onTestFinished(() => connected.close());
  return connected;
}

/** Resolves once both replicas receive change messages, so that an announced change takes effect at once. The key is valid afterwards. */
async function untilSubscribed(apps: readonly App[] = replicas): Promise<void> {
  const publisher = await writer();
  await expect
    .poll(async () => {
      await untilAnnounced(publisher, member.account.id, () => setRevoked(false));
      await statuses(byKey(), apps);
      await untilAnnounced(publisher, member.account.id, () => setRevoked(true));
      const before = performance.now();
      while ((await statuses(byKey(), apps)).some((status) => status !== 401)) {
        if (performance.now() - before > ATTEMPT_MS) return false;
      }
      await untilAnnounced(publisher, member.account.id, () => setRevoked(false));
      return true;
    }, PATIENCE)
    .toBe(true);
  await expect.poll(() => statuses(byKey(), apps)).toEqual(apps.map(() => 200));
}

test('a change that is announced holds on every replica, whichever way it goes', async () => {
  // From here on both replicas cache for longer than HEARD waits, unless a message invalidates the entry.
  await untilSubscribed();
  member = identity.addMember();
  const publisher = await writer();
  expect(await statuses()).toEqual([200, 200]);
  await untilAnnounced(publisher, member.account.id, () => setRevoked(true));
  await expect.poll(() => statuses(), HEARD).toEqual([401, 401]);
  await untilAnnounced(publisher, member.account.id, () => setRevoked(false));
  await expect.poll(() => statuses(), HEARD).toEqual([200, 200]);
});

test('keys, users, roles, budgets and switches change on every replica', async () => {
  const publisher = await writer();
  const { account, user } = member;
  const seen = async () =>
    (await whoami()).map(({ status, body, headers }) => ({
      status,
      errorCode: body['errorCode'],
      name: body['accountName'],
      roles: body['roles'],
      mayManage: String(body['permissions']).includes('authProviders.manage'),
      hourly: /"hourly";q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '')?.[1],
    }));
  const both = (expected: object) => [expected, expected].map((it) => expect.objectContaining(it) as unknown);
  Object.assign(user, { role: Role.DEVELOPER });
  expect(await seen()).toEqual(both({ status: 200, roles: ['developer'], mayManage: true }));
  const change = async (to: object, record: object, expected: object): Promise<void> => {
    await untilAnnounced(publisher, member.account.id, () => void Object.assign(record, to));
    await expect.poll(seen).toEqual(both(expected));
  };
  await change({ isRbacEnabled: true }, account, { mayManage: false });
  await change({ role: Role.MEMBER }, user, { roles: ['member'] });
  await change({ name: 'New', defaultLicence: DefaultLicence.NONE }, account, { name: 'New' });
  await change({ hourly: 7_777 }, account.budgets ?? {}, { hourly: '7777' });
  await change({ isActive: false }, user, { status: 403, errorCode: 'ACCOUNT_USER_INACTIVE' });
  await change({ isActive: true }, user, { status: 200 });
  await untilAnnounced(publisher, member.account.id, () => identity.removeMember(member));
  await expect.poll(() => statuses()).toEqual([401, 401]);
});

test('a token that is revoked, by itself or with its grant, stops opening on every replica', async () => {
  const publisher = await writer();
  for (const revocation of [{ grantId: 'grant_1' }, { tokenId: 'jti_1' }]) {
    const headers = {
      'x-api-key': '',
      authorization: `Bearer ${await identity.issueToken(member, revocation)}`,
    };
    expect(await statuses(headers)).toEqual([200, 200]);
    await untilAnnounced(publisher, member.account.id, () =>
      Object.values(revocation).forEach((id) => identity.revoked.add(id)),
    );
    await expect.poll(() => statuses(headers)).toEqual([401, 401]);
  }
});

test('a known key or token costs identity no call, however often it is used', async () => {
  await untilSubscribed();
  // No change of this account was announced, so its entries are valid for more than a few seconds.
  const known = identity.addMember();
  const tokens = [1, 2].map(() => identity.issueToken(known, { grantId: 'grant_of_many' }));
  const bearers = (await Promise.all(tokens)).map((token) => ({
    'x-api-key': '',
    authorization: `Bearer ${token}`,
  }));
  const lookups = async (): Promise<readonly string[]> => {
    identity.calls.length = 0;
    for (const headers of [byKey(known.apiKey), ...bearers, byKey(known.apiKey), ...bearers])
      expect(await statuses(headers)).toEqual([200, 200]);
    return identity.calls.filter((name) => name === 'ResolveKeys' || name === 'ResolveToken').toSorted();
  };
  // On a busy machine NATS may seem silent for a while; then values are looked up again.
  await expect.poll(lookups, PATIENCE).toEqual([]);
});

test('an account that is created while the gateway runs is served from its first call on', async () => {
  const stranger = identity.addMember();
  identity.removeMember(stranger);
  expect(await statuses(byKey(identity.addMember().apiKey))).toEqual([200, 200]);
  expect(await statuses(byKey(stranger.apiKey))).toEqual([401, 401]);
});

test('a token that a new key signed is accepted', async () => {
  await statuses({ 'x-api-key': '', authorization: `Bearer ${await identity.issueToken(member)}` });
  identity.rotateKey();
  const token = await identity.issueToken(member);
  const headers = { 'x-api-key': '', authorization: `Bearer ${token}` };
  // The list of keys is requested again at most every two seconds.
  await expect.poll(() => statuses(headers)).toEqual([200, 200]);
});

test('a change whose writer died after announcing it holds', async () => {
  const publisher = await writer();
  await new Promise<void>((written) => {
    void untilAnnounced(publisher, member.account.id, () => new Promise(() => written()));
  });
  expect(await statuses()).toEqual([200, 200]);
  setRevoked(true);
  await expect.poll(() => statuses()).toEqual([401, 401]);
});

test('while identity is away, known credentials open and unknown ones are 503, mistyped ones 401', async () => {
  await untilSubscribed();
  const unknown = identity.addMember();
  const unknownToken = { 'x-api-key': '', authorization: `Bearer ${await identity.issueToken(unknown)}` };
  const openWithout = async (): Promise<unknown> => {
    await identity.set('serve');
    // No change of this account was announced, so its entries are valid for more than a few seconds.
    const known = byKey(identity.addMember().apiKey);
    const authorization = `Bearer ${await identity.issueToken(identity.addMember())}`;
    const bearer = { 'x-api-key': '', authorization };
    const before = [await statuses(known), await statuses(bearer)];
    await identity.set('stop');
    return [...before, await statuses(known), await statuses(bearer)];
  };
  await expect.poll(openWithout, PATIENCE).toEqual(Array.from({ length: 4 }, () => [200, 200]));
  for (const headers of [byKey(unknown.apiKey), unknownToken]) {
    for (const { status, body } of await whoami(headers))
      expect([status, body['errorCode']]).toEqual([503, 'UNAVAILABLE']);
  }
  expect(await statuses(byKey(unknown.apiKey.slice(0, -1)))).toEqual([401, 401]);
  expect(await statuses({ 'x-api-key': '', authorization: 'Bearer e30.e30.e30' })).toEqual([401, 401]);
  await identity.set('serve');
  await expect.poll(() => statuses(byKey(unknown.apiKey)), PATIENCE).toEqual([200, 200]);
  await expect.poll(() => statuses(unknownToken), PATIENCE).toEqual([200, 200]);
});

test('while identity hangs, known credentials open and unknown ones are 503', async () => {
  await untilSubscribed();
  const unknown = identity.addMember();
  const callsWithout = async (): Promise<unknown> => {
    await identity.set('serve');
    const known = byKey(identity.addMember().apiKey);
    const before = await statuses(known);
    await identity.set('hang');
    return [before, await statuses(byKey(unknown.apiKey)), await statuses(known)];
  };
  await expect.poll(callsWithout, PATIENCE).toEqual([
    [200, 200],
    [503, 503],
    [200, 200],
  ]);
});

test('nats-server killed and started again under load: every call is answered, and changes hold meanwhile and afterwards', async () => {
  await untilSubscribed();
  const load = startLoad();
  process.kill(nats.pid, 'SIGKILL');
  await nats.exited;
  setRevoked(true);
  await expect.poll(() => statuses()).toEqual([401, 401]);
  setRevoked(false);
  await expect.poll(() => statuses()).toEqual([200, 200]);
  nats = await startNatsServer({ dataDirectory: join(directory, 'nats'), port: nats.port });
  await untilSubscribed();
  expect(await load.stop()).toEqual([]);
});

test('nats-server frozen under load: every call is answered, changes hold, and it recovers by itself', async () => {
  await untilSubscribed();
  const load = startLoad();
  process.kill(nats.pid, 'SIGSTOP');
  try {
    setRevoked(true);
    await expect.poll(() => statuses()).toEqual([401, 401]);
    setRevoked(false);
    await expect.poll(() => statuses()).toEqual([200, 200]);
  } finally {
    process.kill(nats.pid, 'SIGCONT');
  }
  await untilSubscribed();
  expect(await load.stop()).toEqual([]);
});

test('a gateway that starts while NATS is unavailable serves, and receives changes once it is back', async () => {
  await nats.stop();
  const late = await startGateway();
  onTestFinished(() => late.close());
  expect(await statuses(byKey(), [late])).toEqual([200]);
  nats = await startNatsServer({ dataDirectory: join(directory, 'nats'), port: nats.port });
  await untilSubscribed([...replicas, late]);
});

/** Calls both replicas until stopped; returns every outcome other than 200 and the 401 of a revoked key. */
function startLoad(): { stop(): Promise<readonly unknown[]> } {
  const oddities: unknown[] = [];
  const stopping = new AbortController();
  const run = async (app: App): Promise<void> => {
    while (!stopping.signal.aborted) {
      const [status] = await statuses(byKey(), [app]).catch((error: unknown) => [String(error)]);
      if (status !== 200 && status !== 401) oddities.push(status);
    }
  };
  const running = replicas.map(run);
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
      return oddities;
    },
  };
}
