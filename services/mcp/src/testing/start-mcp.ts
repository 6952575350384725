import type { DescService } from '@bufbuild/protobuf';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { systemClock } from '@fairlead/service-kit/clock';
import { loadConfig } from '@fairlead/service-kit/config';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { testCallerKeys } from '@fairlead/service-kit/testing/rpc';
import { startTestNeighbours, testServiceEnvironment } from '@fairlead/service-kit/testing/service';
import { MongoClient } from 'mongodb';
import type { Db } from 'mongodb';
import { buildApp } from '../app.ts';
import { mcpConfig } from '../config.ts';

/** The RPCs of catalog, connections and tools that the service calls. */
type NeighbourRoutes = Parameters<typeof startTestNeighbours>[1];

/** The stand-in of the tools service admits all MCP clients. */
const { executeTool, executeToolInteractively, answerClientRequest } = ExecutionService.method;
const EXECUTING = [executeTool, executeToolInteractively, answerClientRequest];
const OPEN = { openToConfined: EXECUTING, openToAnonymous: EXECUTING };

/** The whole service on its own database. */
export interface TestMcp {
  readonly db: Db;
  client<S extends DescService>(service: S): RpcClient<S>;
  /** Stops the service and its stand-ins, and deletes its database. */
  close(): Promise<void>;
}

/** Starts the service, with one server standing in for catalog, connections and tools. */
export async function startMcp(
  { mongodbUri, natsUrl }: { readonly mongodbUri: string; readonly natsUrl: string },
  routes: NeighbourRoutes,
): Promise<TestMcp> {
  const clock = systemClock;
  const neighbours = await startTestNeighbours(['catalog', 'connections', 'tools'], routes, OPEN);
  const environment = testServiceEnvironment({ mongodbUri, natsUrl });
  const config = loadConfig(mcpConfig, {
    ...environment,
    CATALOG_URL: neighbours.urls.catalog,
    CONNECTIONS_URL: neighbours.urls.connections,
    TOOLS_URL: neighbours.urls.tools,
  });
  const app = await buildApp(config);
  const peer = testPeer('mcp', app);
  const mongo = await MongoClient.connect(mongodbUri);
  const db = mongo.db(environment.MONGODB_DATABASE);
  return {
    db,
    client: (service) => createRpcClient(service, { peer, callerKeys: testCallerKeys, clock }),
    async close() {
      await peer.close();
      await app.close();
      await neighbours.close();
      await db.dropDatabase();
      await mongo.close();
    },
  };
}
