import type { DescService } from '@bufbuild/protobuf';
import { testAgent } from '@fairlead/agent-channel/testing/test-agent';
import type { TestAgent } from '@fairlead/agent-channel/testing/test-agent';
import { CALLER_HEADER, signCaller } from '@fairlead/service-kit/context/caller-token';
import { systemClock } from '@fairlead/service-kit/clock';
import { loadConfig } from '@fairlead/service-kit/config';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { addressFor, testPeer, testTransport } from '@fairlead/service-kit/testing/peer';
import { testCallerKeys, testCallerKeysText } from '@fairlead/service-kit/testing/rpc';
import { MongoClient } from 'mongodb';
import type { Db } from 'mongodb';
import { buildApp } from '../app.ts';
import { agentsConfig } from '../config.ts';

/** The whole service on a database of its own. */
export interface TestAgents {
  readonly db: Db;
  client<S extends DescService>(service: S): RpcClient<S>;
  /** A new process of the agent with this token, as the gateway passes its requests on. */
  agent(token: string, instance?: string): TestAgent;
  /** Starts another replica. */
  replica(): Promise<Pick<TestAgents, 'client' | 'agent'> & { close(): Promise<void> }>;
  /** Stops it and its neighbours, and removes its database. */
  close(): Promise<void>;
}

/** Starts the service, with one server each in place of catalog and connections. */
export async function startAgents(
  { mongodbUri, natsUrl }: { readonly mongodbUri: string; readonly natsUrl: string },
  routes: Parameters<typeof startRpcServer>[0]['routes'],
): Promise<TestAgents> {
  const neighbours = {
    HOST: '127.0.0.1',
    PORT: 0,
    GRPC_PORT: 0,
    CALLER_CONTEXT_KEYS: testCallerKeys,
    SHUTDOWN_GRACE_MS: 1_000,
  };
  const clock = systemClock;
  const log = createLogger({ service: 'neighbours', level: 'silent' });
  /** A caller context is signed for one service, so each needs a server of its own. */
  const started = await Promise.all(
    ['catalog', 'connections'].map((name) =>
      startRpcServer({ name, config: neighbours, log, clock, routes }),
    ),
  );
  const [catalog, connections] = started.map(addressFor);
  const database = `test_${randomBase62(16)}`;
  const config = loadConfig(agentsConfig, {
    LOG_LEVEL: 'silent',
    CALLER_CONTEXT_KEYS: testCallerKeysText,
    SHUTDOWN_GRACE_MS: '1000',
    MONGODB_URI: mongodbUri,
    MONGODB_DATABASE: database,
    NATS_URL: natsUrl,
    SEALING_KEYS: `v1:${Buffer.alloc(32, 3).toString('base64')}`,
    PUBLIC_URL: 'http://127.0.0.1:8080',
    RPC_TRANSPORT: testTransport,
    CATALOG_URL: catalog,
    CONNECTIONS_URL: connections,
  });
  const gateway = { kind: 'service', service: 'gateway', clientAddress: '192.0.2.1' } as const;
  const replica: TestAgents['replica'] = async () => {
    const app = await buildApp(config);
    const peer = testPeer('agents', app);
    return {
      client: (service) => createRpcClient(service, { peer, callerKeys: testCallerKeys, clock }),
      agent: (token, instance) =>
        testAgent({
          ...(instance !== undefined && { instance }),
          url: app.httpUrl,
          token,
          headers: () => ({
            [CALLER_HEADER]: signCaller(gateway, { audience: 'agents', keys: testCallerKeys }, clock.now()),
          }),
        }),
      async close() {
        await peer.close();
        await app.close();
      },
    };
  };
  const first = await replica();
  const mongo = await MongoClient.connect(mongodbUri);
  const db = mongo.db(database);
  return {
    db,
    ...first,
    replica,
    async close() {
      await first.close();
      await Promise.all(started.map((server) => server.close()));
      await db.dropDatabase();
      await mongo.close();
    },
  };
}
