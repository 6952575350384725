import { startAskingMcpServer } from '@fairlead/connector-runtime/testing/asking-mcp-server';
import type { AskingMcpServer } from '@fairlead/connector-runtime/testing/asking-mcp-server';
import { DetachedCallService } from '@fairlead/contracts/tools/v1/detached_call_service_pb';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { systemClock } from '@fairlead/service-kit/clock';
import { loadConfig } from '@fairlead/service-kit/config';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { testPeer, testTransport } from '@fairlead/service-kit/testing/peer';
import { testCallerKeys, testCallerKeysText } from '@fairlead/service-kit/testing/rpc';
import { MongoClient } from 'mongodb';
import { inject } from 'vitest';
import { buildApp } from '../app.ts';
import { toolsConfig } from '../config.ts';
import { connectorHead, oauthMethod, toolDefinition } from './fixtures.ts';
import { startNeighbours } from './neighbours.ts';

/** The access token of every connection. */
export const TOKEN = 'secret-token-1';

/** The tools service with connections of the account `mine` to one MCP server. */
export interface UpstreamTools {
  readonly upstream: AskingMcpServer;
  /** A client of each replica. */
  readonly replicas: readonly RpcClient<typeof ExecutionService>[];
  /** The same for detached calls. */
  readonly detached: readonly RpcClient<typeof DetachedCallService>[];
  close(): Promise<void>;
}

/** Starts replicas of the service over a server with these tools; `connectionIds` are connections to it. */
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
  const database = `test_${randomBase62(16)}`;
  const env = {
    MONGODB_URI: inject('mongodbUri'),
    NATS_URL: inject('natsUrl'),
    MONGODB_DATABASE: database,
    CALLER_CONTEXT_KEYS: testCallerKeysText,
    CATALOG_URL: neighbours.catalogUrl,
    PUBLIC_URL: 'http://127.0.0.1:8080',
    GATEWAY_URL: neighbours.gatewayUrl,
    CONNECTIONS_URL: neighbours.connectionsUrl,
    AGENTS_URL: neighbours.connectionsUrl,
    RPC_TRANSPORT: testTransport,
    EGRESS_ALLOW: '127.0.0.1',
    LOG_LEVEL: 'silent',
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
      await mongo.db(database).dropDatabase();
      await mongo.close();
    },
  };
}
