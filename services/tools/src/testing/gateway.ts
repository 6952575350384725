import type { ConnectRouter } from '@connectrpc/connect';
import { systemClock } from '@fairlead/service-kit/clock';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { testCallerKeys } from '@fairlead/service-kit/testing/rpc';
import { onTestFinished } from 'vitest';

/** Serves these RPCs as the gateway until the test ends; returns options for its clients, whose retries do not pause. */
export async function startTestGateway(routes: (router: ConnectRouter) => void) {
  const server = await startRpcServer({
    name: 'gateway',
    config: {
      HOST: '127.0.0.1',
      PORT: 0,
      GRPC_PORT: 0,
      CALLER_CONTEXT_KEYS: testCallerKeys,
      SHUTDOWN_GRACE_MS: 0,
    },
    log: createLogger({ service: 'test', level: 'silent' }),
    clock: systemClock,
    routes,
  });
  const peer = testPeer('gateway', server);
  onTestFinished(async () => {
    await peer.close();
    await server.close();
  });
  const timers = {
    after(_delayMs: number, run: () => void) {
      queueMicrotask(run);
      return { cancel() {} };
    },
  };
  return { peer, callerKeys: testCallerKeys, clock: systemClock, timers };
}
