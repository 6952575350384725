import { ConnectPageService } from '@fairlead/contracts/connections/v1/connect_page_service_pb';
import { systemClock } from '@fairlead/service-kit/clock';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import { addressFor, testPeer } from '@fairlead/service-kit/testing/peer';
import { createRemoteServices } from '../services.ts';
import type { Services } from '../services.ts';
import { TEST_CALLER_KEYS, testServices } from './edge.ts';

/** The services' responses, registered on a real RPC server; an omitted method fails. */
export type RemoteRoutes = Parameters<typeof startRpcServer>[0]['routes'];

/**
 * Starts one real RPC server in place of all remote services, so that routes are tested over the wire: signed callers,
 * protobuf, typed errors. What the services themselves do is proven by their own tests and the contract tests.
 */
export async function startRemote(
  routes: RemoteRoutes,
): Promise<{ readonly url: string; readonly services: Services; close(): Promise<void> }> {
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
    endUserServices: [ConnectPageService],
  });
  const peer = testPeer('remote', server);
  return {
    url: addressFor(server),
    services: testServices(
      createRemoteServices({
        identity: peer,
        catalog: peer,
        connections: peer,
        tools: peer,
        delivery: peer,
        triggers: peer,
        callerKeys: TEST_CALLER_KEYS,
        clock: systemClock,
        timeoutMs: 5000,
        dataTimeoutMs: 5000,
      }),
    ),
    async close() {
      await peer.close();
      await server.close();
    },
  };
}
