import type { DescService } from '@bufbuild/protobuf';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
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
import { mcpConfig } from '../config.ts';

/** The methods of catalog, connections and tools that the service calls. */
type NeighbourRoutes = Parameters<typeof startRpcServer>[0]['routes'];

/** The tools service executes for every client of an MCP server. */
const { executeTool, executeToolInteractively, answerClientRequest } = ExecutionService.method;
const EXECUTING = [executeTool, executeToolInteractively, answerClientRequest];
const OPEN = { openToConfined: EXECUTING, openToAnonymous: EXECUTING };

/** The whole service on a database of its own. */
export interface TestMcp {
  readonly db: Db;
  client<S extends DescService>(service: S): RpcClient<S>;
  /** Stops it and its neighbours, and removes its database. */
  close(): Promise<void>;
}

/** Starts the service, with one server in place of catalog, connections and tools. */
export async function startMcp(
  { mongodbUri, natsUrl }: { readonly mongodbUri: string; readonly natsUrl: string },
  routes: NeighbourRoutes,
): Promise<TestMcp> {
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
    ['catalog', 'connections', 'tools'].map((name) =>
      startRpcServer({ name, config: neighbours, log, clock, routes, ...OPEN }),
    ),
  );
  const [catalog, connections, tools] = started.map(addressFor);
  const database = `test_${randomBase62(16)}`;
  const config = loadConfig(mcpConfig, {
    LOG_LEVEL: 'silent',
    CALLER_CONTEXT_KEYS: testCallerKeysText,
    SHUTDOWN_GRACE_MS: '1000',
    NATS_URL: natsUrl,
    MONGODB_URI: mongodbUri,
    MONGODB_DATABASE: database,
    SEALING_KEYS: `v1:${Buffer.alloc(32, 3).toString('base64')}`,
    PUBLIC_URL: 'http://127.0.0.1:8080',
    RPC_TRANSPORT: testTransport,
    CATALOG_URL: catalog,
    CONNECTIONS_URL: connections,
    TOOLS_URL: tools,
  });
  const app = await buildApp(config);
  const peer = testPeer('mcp', app);
  const mongo = await MongoClient.connect(mongodbUri);
  const db = mongo.db(database);
  return {
    db,
    client: (service) => createRpcClient(service, { peer, callerKeys: testCallerKeys, clock }),
    async close() {
      await peer.close();
      await app.close();
      await Promise.all(started.map((server) => server.close()));
      await db.dropDatabase();
      await mongo.close();
    },
  };
}
