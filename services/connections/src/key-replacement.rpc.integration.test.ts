import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ConnectionService } from '@fairlead/contracts/connections/v1/connection_service_pb';
import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { freePort } from '@fairlead/local-stores/ports';
import { testConfig } from '@fairlead/sandbox-crm/testing/sandbox';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import { dataKeyCollection } from '@fairlead/sealing/data-keys';
import { keyIdOf } from '@fairlead/sealing/sealed-value';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { MongoClient } from 'mongodb';
import type { Db } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { membersOf } from '@fairlead/service-kit/json/json-members';
import { jsonOf } from '@fairlead/service-kit/testing/json-bytes';
import type { ConnectionDocument } from './storage/connection.collection.ts';
import { required, startWorld } from './testing/world.ts';
import type { World } from './testing/world.ts';

// Takes a quarter of an hour, because the pauses are those of production: `KEY_ROTATION=whole npm test -- integration
// services/connections/src/key-replacement.rpc.integration.test.ts`.
const isWhole = process.env['KEY_ROTATION'] === 'whole';

const key = (version: string, byte: number): string =>
  `${version}:${Buffer.alloc(32, byte).toString('base64')}`;
const [V1, V2] = [key('v1', 1), key('v2', 2)];
/** Enough accounts that, at 500 per second, the process can be killed while it rewraps, issues or reseals. */
const ACCOUNTS = 2_000;
const AT_ONCE = 20;
const CALLERS = 4;
/** Passes are five minutes apart, and a killed process may need a third. */
const PHASE = { timeout: 20 * 60_000, interval: 100 };
const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const COMMAND = fileURLToPath(new URL('./data-keys.ts', import.meta.url));

/** A replica of the service in its own process. */
interface Replica {
  readonly ports: readonly [http: number, grpc: number];
  process: ChildProcess;
}

describe.runIf(isWhole)('both procedures of docs/operations.md, on processes that are killed with -9', () => {
  let world: World;
  let mongo: MongoClient;
  let database: Db;
  let replicas: Replica[] = [];
  let peer: RpcPeer;
  let inStep: NodeJS.Timeout;
  const stop = new AbortController();

  beforeAll(async () => {
    // The world's own instance, whose keys do not change, uses another database.
    world = await startWorld(inject('mongodbUri'));
    mongo = await MongoClient.connect(inject('mongodbUri'));
    database = mongo.db(`${required(world.environment['MONGODB_DATABASE'])}-keys`);
    const { clock } = world;
    inStep = setInterval(() => clock.advance(Math.max(0, Date.now() - clock.now().getTime())), 500);
    const ports = await freePorts(4);
    replicas = await Promise.all(
      [0, 2].map(async (at): Promise<Replica> => {
        const own = [required(ports[at]), required(ports[at + 1])] as const;
        return { ports: own, process: await start(own, V1) };
      }),
    );
    const servers = replicas.map(({ ports: [http, grpc] }) => ({ httpUrl: url(http), grpcUrl: url(grpc) }));
    peer = testPeer('connections', ...servers);
  });
  afterAll(async () => {
    stop.abort();
    clearInterval(inStep);
    await peer.close();
    for (const { process: child } of replicas) child.kill('SIGKILL');
    await database.dropDatabase();
    await mongo.close();
    await world.close();
  });

  async function start(ports: Replica['ports'], ring: string): Promise<ChildProcess> {
    const [http, grpc] = ports;
    const child = spawn(process.execPath, [MAIN], {
      env: {
        ...world.environment,
        MONGODB_DATABASE: database.databaseName,
        PATH: process.env['PATH'],
        LOG_LEVEL: 'warn',
        HOST: '127.0.0.1',
        PORT: String(http),
        GRPC_PORT: String(grpc),
        ADMIN_PORT: '0',
        // Longer than clients keep an idle connection.
        SHUTDOWN_GRACE_MS: '10000',
        SEALING_KEYS: ring,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await vi.waitUntil(() => isServing(http), { timeout: 120_000, interval: 50 });
    return child;
  }

  async function restart(replica: Replica, ring: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const exited = once(replica.process, 'exit');
    replica.process.kill(signal);
    await exited;
    replica.process = await start(replica.ports, ring);
  }

  const dataKeys = () => database.collection(dataKeyCollection.name);
  const outdated = (): Promise<number> => dataKeys().countDocuments({ wrappedWith: 'v1' });
  const phase = async (): Promise<unknown> =>
    (await database.collection('dataKeyReplacements').findOne())?.['phase'];

  test(
    'no call fails, both continue, and nothing is left under an old key',
    { timeout: 40 * 60_000 },
    async () => {
      const options = { peer, callerKeys: world.callerKeys, clock: world.clock };
      const connections = createRpcClient(ConnectionService, options);
      const credentials = createRpcClient(CredentialService, options);
      const create = async (ctx: RequestContext): Promise<number> => {
        const { connection } = await connections.createConnection(ctx, {
          applicationSlug: 'sandbox-crm',
          connectionName: 'CRM',
          fieldsJson: membersOf({ apiToken: testConfig.apiToken }),
        });
        return required(connection).id;
      };
      const open = async (ctx: RequestContext, connectionId: number): Promise<void> => {
        const { outcome } = await credentials.getCredentials(ctx, { connectionId });
        expect(outcome.value).toMatchObject({
          fieldsJson: jsonOf({ apiToken: testConfig.apiToken }),
        });
      };
      const made: { readonly ctx: () => RequestContext; readonly id: number }[] = [];
      while (made.length < ACCOUNTS) {
        const some = Array.from({ length: AT_ONCE }, async () => {
          const first = testContext();
          // A new context per call, because a context has its call's deadline.
          return { ctx: () => testContext({ caller: first.caller }), id: await create(first) };
        });
        made.push(...(await Promise.all(some)));
      }
      const former = new Set<unknown>(await dataKeys().distinct('keyId'));
      expect(former.size).toBe(ACCOUNTS);

      const failures: unknown[] = [];
      let calls = 0;
      const caller = async (offset: number): Promise<void> => {
        for (let at = offset; !stop.signal.aborted; at += CALLERS) {
          const { ctx, id } = required(made[at % made.length]);
          await open(ctx(), id).catch((error: unknown) => failures.push(error));
          calls += 1;
        }
      };
      const load = Promise.all(Array.from({ length: CALLERS }, (_, at) => caller(at)));
      const callsGoOn = async (): Promise<void> => {
        const before = calls;
        await vi.waitUntil(() => calls > before + 50, { timeout: 90_000 });
      };
      const roll = async (ring: string): Promise<void> => {
        for (const replica of replicas) {
          await restart(replica, ring, 'SIGTERM');
          await callsGoOn();
        }
      };
      /** Kills each replica in turn, so that the one doing the work is among them. */
      const killBoth = async (ring: string): Promise<void> => {
        for (const replica of replicas) {
          await restart(replica, ring, 'SIGKILL');
          await callsGoOn();
        }
      };

      await roll(`${V1},${V2}`);
      await roll(`${V2},${V1}`);
      await vi.waitUntil(async () => (await outdated()) < ACCOUNTS, PHASE);
      await killBoth(`${V2},${V1}`);
      await vi.waitUntil(async () => (await outdated()) === 0, PHASE);
      await roll(V2);
      expect(failures, 'while key-encryption keys were replaced').toEqual([]);

      const variables = { MONGODB_URI: inject('mongodbUri'), MONGODB_DATABASE: database.databaseName };
      await promisify(execFile)(process.execPath, [COMMAND, 'replace', '--yes'], {
        env: { ...process.env, ...variables },
      });
      for (const killedIn of ['issuing', 'waiting', 'resealing']) {
        await vi.waitUntil(async () => (await phase()) === killedIn, PHASE);
        await killBoth(V2);
        expect(failures, `killed while ${killedIn}`).toEqual([]);
      }
      await vi.waitUntil(async () => (await phase()) === 'done', PHASE);
      stop.abort();
      await load;
      expect(failures).toEqual([]);
      const [done] = await database.collection('dataKeyReplacements').find().toArray();
      expect(done).toMatchObject({ issued: ACCOUNTS, failed: 0, unreadable: 0 });
      expect(await dataKeys().countDocuments({ 'former.id': { $exists: true } })).toBe(0);
      const current = new Set<unknown>(await dataKeys().distinct('keyId'));
      expect([...current].filter((id) => former.has(id))).toEqual([]);
      const documents = database.collection<ConnectionDocument>('connections').find();
      for await (const { credential } of documents)
        expect(current).toContain(keyIdOf(required(credential.secrets ?? undefined)));
    },
  );
});

const url = (port: number): string => `http://127.0.0.1:${port}`;

async function isServing(port: number): Promise<boolean> {
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  return await fetch(`${url(port)}/grpc.health.v1.Health/Check`, request).then(
    async (answer) => (await answer.text()).includes('"SERVING"'),
    () => false,
  );
}

/** Free ports. */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
