import { systemClock } from '@fairlead/service-kit/clock';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import { addressFor, testPeer } from '@fairlead/service-kit/testing/peer';
import { forEachService } from '@fairlead/service-list/services';
import { createRemoteServices } from '../services.ts';
import type { Services } from '../services.ts';
import { TEST_CALLER_KEYS, testServices } from './edge.ts';

/** The services' responses, registered on a real RPC server; an omitted method fails. */
export type RemoteRoutes = Parameters<typeof startRpcServer>[0]['routes'];

/**
 * Starts one real RPC server in place of all remote services, so that routes are tested over the wire: signed callers, protobuf, typed
 * errors. Tests of the services, and the contract tests, cover the real services. `own`: services with their own server.
 */
export async function startRemote(
  routes: RemoteRoutes,
  own: Readonly<Partial<Record<'tools' | 'triggers' | 'mcp', RemoteRoutes>>> = {},
): Promise<{ readonly url: string; readonly services: Services; close(): Promise<void> }> {
  const remote = await startPeerServer(routes);
  const tools = own.tools === undefined ? remote : await startPeerServer(own.tools);
  const triggers = own.triggers === undefined ? remote : await startPeerServer(own.triggers);
  const mcp = own.mcp === undefined ? remote : await startPeerServer(own.mcp);
  const { peer } = remote;
  return {
    url: remote.url,
    services: testServices(
      createRemoteServices({
        peers: { ...forEachService(() => peer), tools: tools.peer, triggers: triggers.peer, mcp: mcp.peer },
        callerKeys: TEST_CALLER_KEYS,
        clock: systemClock,
        timeoutMs: 5000,
        runTimeoutMs: 60_000,
        dataTimeoutMs: 5000,
      }),
    ),
    async close() {
      for (const each of new Set([remote, tools, triggers, mcp])) await each.close();
    },
  };
}

async function startPeerServer(
  routes: RemoteRoutes,
): Promise<{ readonly url: string; readonly peer: RpcPeer; close(): Promise<void> }> {
  const server = await startRpcServer({
    name: 'remote',
    config: {
      HOST: '127.0.0.1',
      PORT: 0,
      GRPC_PORT: 0,
      CALLER_CONTEXT_KEYS: TEST_CALLER_KEYS,
      SHUTDOWN_GRACE_MS: 1000,
    },
    log: createLogger({ service: 'remote', level: 'silent' }),
    clock: systemClock,
    routes,
  });
  const peer = testPeer('remote', server);
  return {
    url: addressFor(server),
    peer,
    async close() {
      await peer.close();
      await server.close();
    },
  };
}
