import { randomBase62 } from '../ids.ts';
import { systemClock } from '../clock.ts';
import { startRpcServer } from '../rpc/server.ts';
import { createLogger } from '../telemetry/logger.ts';
import { addressFor, testTransport } from './peer.ts';
import { testCallerKeys, testCallerKeysText } from './rpc.ts';

type ServerOptions = Parameters<typeof startRpcServer>[0];

/** Servers in place of the services that the tested service calls. */
export interface TestNeighbours<N extends string> {
  /** The address of each, in the form of `*_URL`. */
  readonly urls: Readonly<Record<N, string>>;
  close(): Promise<void>;
}

/**
 * Starts a server in place of each of these services, all with the same methods. Each needs a server, because a
 * caller context is signed for one service.
 */
export async function startTestNeighbours<N extends string>(
  names: readonly N[],
  routes: ServerOptions['routes'],
  open: Pick<ServerOptions, 'openToConfined' | 'openToAnonymous'> = {},
): Promise<TestNeighbours<N>> {
  const config = {
    HOST: '127.0.0.1',
    PORT: 0,
    GRPC_PORT: 0,
    CALLER_CONTEXT_KEYS: testCallerKeys,
    SHUTDOWN_GRACE_MS: 1_000,
  };
  const log = createLogger({ service: 'neighbours', level: 'silent' });
  const servers = await Promise.all(
    names.map((name) => startRpcServer({ name, config, log, clock: systemClock, routes, ...open })),
  );
  const urls = names.map((name, at) => {
    const server = servers[at];
    return [name, server === undefined ? '' : addressFor(server)];
  });
  return {
    // One entry per name.
    urls: Object.fromEntries(urls) as Record<N, string>,
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  };
}

/** The common settings of services, for a test: a separate database, and the stores of the run. */
export function testServiceEnvironment(stores: { readonly mongodbUri: string; readonly natsUrl: string }) {
  return {
    LOG_LEVEL: 'silent',
    CALLER_CONTEXT_KEYS: testCallerKeysText,
    SHUTDOWN_GRACE_MS: '1000',
    NATS_URL: stores.natsUrl,
    MONGODB_URI: stores.mongodbUri,
    MONGODB_DATABASE: `test_${randomBase62(16)}`,
    SEALING_KEYS: `v1:${Buffer.alloc(32, 3).toString('base64')}`,
    PUBLIC_URL: 'http://127.0.0.1:8080',
    RPC_TRANSPORT: testTransport,
  };
}
