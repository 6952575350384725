import type { DescService } from '@bufbuild/protobuf';
import { testAgent } from '@fairlead/agent-channel/testing/test-agent';
import type { TestAgent } from '@fairlead/agent-channel/testing/test-agent';
import { CALLER_HEADER, signCaller } from '@fairlead/service-kit/context/caller-token';
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
import { agentsConfig } from '../config.ts';

/** The whole service on its own database. */
export interface TestAgents {
  readonly db: Db;
  client<S extends DescService>(service: S): RpcClient<S>;
  /** A new process of the agent with this token; requests arrive as the gateway forwards them. */
  agent(token: string, instance?: string): TestAgent;
  /** Downloads the logs of an agent, as the gateway requests them for a user. */
  logs(accountId: string, id: number): Promise<Response>;
  /** Starts another replica. */
  replica(): Promise<Pick<TestAgents, 'client' | 'agent' | 'logs'> & { close(): Promise<void> }>;
  /** Stops the service and its stand-ins, and deletes its database. */
  close(): Promise<void>;
}

/** Starts the service, with stand-ins for catalog and connections. */
export async function startAgents(
  { mongodbUri, natsUrl }: { readonly mongodbUri: string; readonly natsUrl: string },
  routes: Parameters<typeof startTestNeighbours>[1],
): Promise<TestAgents> {
  const clock = systemClock;
  const neighbours = await startTestNeighbours(['catalog', 'connections'], routes);
  const environment = testServiceEnvironment({ mongodbUri, natsUrl });
  const config = loadConfig(agentsConfig, {
    ...environment,
    CATALOG_URL: neighbours.urls.catalog,
    CONNECTIONS_URL: neighbours.urls.connections,
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
      logs(accountId, id) {
        const user = { kind: 'user', accountId, userId: 'usr_1', roles: [], permissions: [] } as const;
        const scope = { audience: 'agents', keys: testCallerKeys };
        return fetch(`${app.httpUrl}/v1/on-prem-agents/${id}/logs`, {
          headers: { [CALLER_HEADER]: signCaller(user, scope, clock.now()) },
        });
      },
      async close() {
        await peer.close();
        await app.close();
      },
    };
  };
  const first = await replica();
  const mongo = await MongoClient.connect(mongodbUri);
  const db = mongo.db(environment.MONGODB_DATABASE);
  return {
    db,
    ...first,
    replica,
    async close() {
      await first.close();
      await neighbours.close();
      await db.dropDatabase();
      await mongo.close();
    },
  };
}
