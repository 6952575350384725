import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { ConnectionService } from '@fairlead/contracts/connections/v1/connection_service_pb';
import { testConfig } from '@fairlead/sandbox-crm/testing/sandbox';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { RpcApp } from '@fairlead/service-kit/lifecycle/start-service';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import { dataKeyCollection } from '@fairlead/sealing/data-keys';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { membersOf } from '@fairlead/service-kit/json/json-members';
import { jsonOf } from '@fairlead/service-kit/testing/json-bytes';
import { create, required, startWorld } from './testing/world.ts';
import type { World } from './testing/world.ts';

const key = (version: string, byte: number): string =>
  `${version}:${Buffer.alloc(32, byte).toString('base64')}`;
const [V1, V2] = [key('v1', 1), key('v2', 2)];
const LIMIT_MS = 240_000;
const ACCOUNTS = 30;
const CALLERS = 4;
// Longer than clients keep an idle connection.
const GRACE = { SHUTDOWN_GRACE_MS: '10000' };

let world: World;
let replicas: RpcApp[] = [];
const peers: RpcPeer[] = [];

beforeAll(async () => {
  // This world's instance keeps the first key; it seals nothing once the accounts below exist.
  world = await startWorld(inject('mongodbUri'), { sealingKeys: V1 });
});
afterAll(async () => {
  await Promise.all(peers.map((peer) => peer.close()));
  await Promise.all(replicas.map((replica) => replica.close()));
  await world.close();
});

const wrappedWith = (name: string): Promise<number> =>
  world.db.collection(dataKeyCollection.name).countDocuments({ wrappedWith: name });

/** Restarts the replicas one by one, each at its former address and with these keys; each serves again before the next one stops. */
async function roll(ring: string, served: () => Promise<void>): Promise<void> {
  for (const [at, replica] of replicas.entries()) {
    const ports = { PORT: new URL(replica.httpUrl).port, GRPC_PORT: new URL(replica.grpcUrl).port };
    await replica.close();
    replicas[at] = await world.startApp({ ...ports, ...GRACE, SEALING_KEYS: ring });
    await served();
  }
}

test(
  'the procedure of docs/operations.md, under load: no call fails, nothing is left under the old key, and a key in use is required',
  { timeout: LIMIT_MS },
  async () => {
    replicas = [
      await world.startApp({ ...GRACE, SEALING_KEYS: V1 }),
      await world.startApp({ ...GRACE, SEALING_KEYS: V1 }),
    ];
    const peer = testPeer('connections', ...replicas);
    peers.push(peer);
    const options = { peer, callerKeys: world.callerKeys, clock: world.clock };
    const connections = createRpcClient(ConnectionService, options);
    const credentials = createRpcClient(CredentialService, options);
    const contexts = Array.from({ length: ACCOUNTS }, () => testContext());
    const made = await Promise.all(contexts.map(async (ctx) => ({ ctx, id: (await create(world, ctx)).id })));

    const failures: unknown[] = [];
    let calls = 0;
    const stop = new AbortController();
    const open = async (ctx: RequestContext, connectionId: number): Promise<void> => {
      const { outcome } = await credentials.getCredentials(ctx, { connectionId });
      expect(outcome.value).toMatchObject({
        fieldsJson: jsonOf({ apiToken: testConfig.apiToken }),
      });
    };
    const caller = async (first: number): Promise<void> => {
      for (let at = first; !stop.signal.aborted; at += CALLERS) {
        const { ctx, id } = required(made[at % made.length]);
        try {
          await open(ctx, id);
          // Now and then a new account, whose data key is created by any replica.
          if (at % 25 === 0) {
            const fresh = testContext();
            const { connection } = await connections.createConnection(fresh, {
              applicationSlug: 'sandbox-crm',
              connectionName: 'CRM',
              fieldsJson: membersOf({ apiToken: testConfig.apiToken }),
            });
            await open(fresh, required(connection).id);
          }
        } catch (error) {
          failures.push(error);
        }
        calls += 1;
      }
    };
    const load = Promise.all(Array.from({ length: CALLERS }, (_, at) => caller(at)));

    const callsGoOn = async (): Promise<void> => {
      const before = calls;
      await vi.waitUntil(() => calls > before + 50, { timeout: 90_000 });
    };
    await roll(`${V1},${V2}`, callsGoOn);
    expect(await wrappedWith('v2')).toBe(0);
    await roll(`${V2},${V1}`, callsGoOn);
    await vi.waitUntil(async () => (await wrappedWith('v1')) === 0, { timeout: 120_000 });
    await roll(V2, callsGoOn);
    stop.abort();
    await load;

    expect(failures).toEqual([]);
    expect(await wrappedWith('v1')).toBe(0);
    expect(await wrappedWith('v2')).toBeGreaterThan(ACCOUNTS);
    await expect(world.startApp({ SEALING_KEYS: key('v3', 3) })).rejects.toThrow(
      /SEALING_KEYS: \d+ data keys need the key v2, among them those of .*, .*: The sealing key v2 is not in the key ring/,
    );
  },
);
