import type { ServiceImpl } from '@connectrpc/connect';
import { EchoService } from '@fairlead/connect-fast/testing/echo-service';
import { systemClock } from '../clock.ts';
import { CALLER_HEADER, signCaller } from '../context/context.ts';
import { createLogger } from '../telemetry/logger.ts';
import type { Logger } from '../telemetry/logger.ts';
import { startRpcServer } from '../rpc/server.ts';
import type { RpcServer } from '../rpc/server.ts';
import { Secret } from '../secret.ts';

/** The caller-context key of test servers. */
export const testCallerKey = new Secret(Buffer.alloc(32, 7).toString('base64'));

/** A running server of EchoService on free ports. */
export function startEchoServer(
  say: ServiceImpl<typeof EchoService>['say'],
  o: {
    readonly log?: Logger;
    readonly graceMs?: number;
    readonly port?: number;
    readonly grpcPort?: number;
  } = {},
): Promise<RpcServer> {
  return startRpcServer({
    name: 'echo',
    config: {
      HOST: '127.0.0.1',
      PORT: o.port ?? 0,
      GRPC_PORT: o.grpcPort ?? 0,
      CALLER_CONTEXT_KEY: testCallerKey,
      SHUTDOWN_GRACE_MS: o.graceMs ?? 200,
    },
    log: o.log ?? createLogger({ service: 'echo', level: 'silent' }),
    clock: systemClock,
    routes: (router) => router.service(EchoService, { say }),
  });
}

/** The user whom `signedCaller` signs. */
export const testCaller = {
  kind: 'user',
  accountId: 'acc_1',
  userId: 'usr_1',
  roles: ['admin'],
  permissions: [],
} as const;

/** The headers of a call that test servers let in. */
export function signedCaller(now = new Date()): Record<string, string> {
  return { [CALLER_HEADER]: signCaller(testCaller, testCallerKey, now) };
}
