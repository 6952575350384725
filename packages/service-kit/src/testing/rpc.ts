import type { ServiceImpl } from '@connectrpc/connect';
import { EchoService } from '@fairlead/connect-fast/testing/echo-service';
import { systemClock } from '../clock.ts';
import { CALLER_HEADER, signCaller } from '../context/caller-token.ts';
import { parseKeyRing } from '../key-ring.ts';
import type { KeyRing } from '../key-ring.ts';
import { createLogger } from '../telemetry/logger.ts';
import type { Logger } from '../telemetry/logger.ts';
import { startRpcServer } from '../rpc/server.ts';
import type { RpcServer, HttpSurface } from '../rpc/server.ts';

/** CALLER_CONTEXT_KEYS of test servers. */
export const testCallerKeysText = `v1:${Buffer.alloc(32, 7).toString('base64')}`;
export const testCallerKeys: KeyRing = parseKeyRing(testCallerKeysText);

/** A running server of EchoService on free ports. */
export function startEchoServer(
  say: ServiceImpl<typeof EchoService>['say'],
  o: {
    readonly repeat?: ServiceImpl<typeof EchoService>['repeat'];
    readonly log?: Logger;
    readonly graceMs?: number;
    readonly host?: string;
    readonly port?: number;
    readonly grpcPort?: number;
    readonly http?: HttpSurface;
    readonly openToConfined?: Parameters<typeof startRpcServer>[0]['openToConfined'];
    readonly openToAnonymous?: Parameters<typeof startRpcServer>[0]['openToAnonymous'];
  } = {},
): Promise<RpcServer> {
  return startRpcServer({
    name: 'echo',
    config: {
      HOST: o.host ?? '127.0.0.1',
      PORT: o.port ?? 0,
      GRPC_PORT: o.grpcPort ?? 0,
      CALLER_CONTEXT_KEYS: testCallerKeys,
      SHUTDOWN_GRACE_MS: o.graceMs ?? 200,
    },
    log: o.log ?? createLogger({ service: 'echo', level: 'silent' }),
    clock: systemClock,
    routes: (router) => router.service(EchoService, { say, ...(o.repeat && { repeat: o.repeat }) }),
    http: o.http,
    openToConfined: o.openToConfined,
    openToAnonymous: o.openToAnonymous,
  });
}

/** The user that `signedCaller` signs. */
export const testCaller = {
  kind: 'user',
  accountId: 'acc_1',
  userId: 'usr_1',
  roles: ['admin'],
  permissions: [],
} as const;

/** The headers of a call that servers of EchoService accept. */
export function signedCaller(now = new Date()): Record<string, string> {
  return { [CALLER_HEADER]: signCaller(testCaller, { audience: 'echo', keys: testCallerKeys }, now) };
}
