import { startAskingMcpServer } from '@fairlead/connector-runtime/testing/asking-mcp-server';
import type { AskingMcpServer } from '@fairlead/connector-runtime/testing/asking-mcp-server';
import { DetachedCallService } from '@fairlead/contracts/tools/v1/detached_call_service_pb';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { systemClock } from '@fairlead/service-kit/clock';
import { loadConfig } from '@fairlead/service-kit/config';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { testCallerKeys } from '@fairlead/service-kit/testing/rpc';
import { testServiceEnvironment } from '@fairlead/service-kit/testing/service';
import { MongoClient } from 'mongodb';
import { inject } from 'vitest';
import { buildApp } from '../app.ts';
import { toolsConfig } from '../config.ts';
import { connectorHead, oauthMethod, toolDefinition } from './fixtures.ts';
import { startNeighbours } from './neighbours.ts';

/** The access token of every connection. */
export const TOKEN = 'secret-token-1';

/** The tools service with connections of account `mine` to one MCP server. */
export interface UpstreamTools {
  readonly upstream: AskingMcpServer;
  /** One client per replica. */
  readonly replicas: readonly RpcClient<typeof ExecutionService>[];
  /** The same, for detached calls. */
  readonly detached: readonly RpcClient<typeof DetachedCallService>[];
  close(): Promise<void>;
}

/** Starts replicas of the service, and a server with these tools; `connectionIds` are the connections to it. */
export async function startUpstreamTools(o: {
  readonly tools: Parameters<typeof startAskingMcpServer>[0];
  readonly connectionIds: readonly number[];
  readonly replicas: number;
}): Promise<UpstreamTools> {
  const upstream = await startAskingMcpServer(o.tools);
  const neighbours = await startNeighbours({
    callerKeys: testCallerKeys,
    tools: Object.keys(o.tools).map((toolName) =>
      toolDefinition({
        toolSlug: toolName,
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
        retryClass: 'unsafe',
        filters: null,
        sorts: null,
        paging: null,
        execution: { type: 'mcp', toolName },
      }),
    ),
    connector: connectorHead({ kind: 'MCPClient', authenticationMethods: [oauthMethod()] }),
    baseUrl: upstream.url,
    connections: o.connectionIds.map((id) => ({
      id,
      accountId: 'mine',
      authenticationId: 0,
      isLicensed: true,
      accessTokens: [TOKEN],
    })),
    validToken: TOKEN,
  });
  const stores = { mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') };
  const environment = testServiceEnvironment(stores);
  const env = {
    ...environment,
    CATALOG_URL: neighbours.catalogUrl,
    GATEWAY_URL: neighbours.gatewayUrl,
    CONNECTIONS_URL: neighbours.connectionsUrl,
    AGENTS_URL: neighbours.connectionsUrl,
    EGRESS_ALLOW: '127.0.0.1',
  };
  const apps = await Promise.all(
    Array.from({ length: o.replicas }, () => buildApp(loadConfig(toolsConfig, env))),
  );
  const peers = apps.map((app) => testPeer('tools', app));
  const options = { callerKeys: testCallerKeys, clock: systemClock };
  return {
    upstream,
    replicas: peers.map((peer) => createRpcClient(ExecutionService, { peer, ...options })),
    detached: peers.map((peer) => createRpcClient(DetachedCallService, { peer, ...options })),
    async close() {
      for (const part of [...peers, ...apps, neighbours, upstream]) await part.close();
      const mongo = await MongoClient.connect(inject('mongodbUri'));
      await mongo.db(environment.MONGODB_DATABASE).dropDatabase();
      await mongo.close();
    },
  };
}
