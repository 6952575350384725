// A connections service without a database: it responds at once, so that callers measure only the hop.
import { ConnectionService } from '@fairlead/contracts/connections/v1/connection_service_pb';
import { systemClock } from '@fairlead/service-kit/clock';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import { reportReady } from '../child.ts';
import { callerKeys } from './caller.ts';
import { connectionMessage } from './record.ts';

const server = await startRpcServer({
  name: 'stub',
  config: {
    HOST: '127.0.0.1',
    PORT: 0,
    GRPC_PORT: 0,
    CALLER_CONTEXT_KEYS: callerKeys,
    SHUTDOWN_GRACE_MS: 1_000,
  },
  log: createLogger({ service: 'stub', level: 'info' }),
  clock: systemClock,
  routes: (router) =>
    router.service(ConnectionService, { getConnection: () => ({ connection: connectionMessage }) }),
});
reportReady({ httpUrl: server.httpUrl, grpcUrl: server.grpcUrl });
