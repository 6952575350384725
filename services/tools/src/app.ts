import { connectorHandlers } from '@fairlead/connectors/handlers';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import { systemClock } from '@fairlead/service-kit/clock';
import { createEgress } from '@fairlead/service-kit/egress/egress';
import { Closers } from '@fairlead/service-kit/lifecycle/lifecycle';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { connectMongo } from '@fairlead/service-kit/mongo/mongo';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import { createRpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import { startTelemetry } from '@fairlead/service-kit/telemetry/telemetry';
import { createCatalogClient } from './clients/catalog.ts';
import { createConnectionsClient } from './clients/connections.ts';
import { rememberCatalog } from './clients/remembered-catalog.ts';
import type { ToolsConfig } from './config.ts';
import { ConnectionSlots } from './domain/connection-slots.ts';
import { createHistoryIds } from './domain/history-id.ts';
import { hearCatalogueChanges } from './events/catalogue-changes.ts';
import { createExecutionService } from './rpc/execution-service.rpc.ts';
import { createSchemaValidator } from './schemas/schema-validator.ts';
import { createAccountData } from './storage/account-data.ts';
import { executionCollection } from './storage/execution.collection.ts';
import { createExecutionRepository } from './storage/execution.repository.ts';

/** A running service. */
export interface App {
  /** Base address of HTTP/1.1. */
  readonly httpUrl: string;
  /** Base address of cleartext HTTP/2. */
  readonly grpcUrl: string;
  close(): Promise<void>;
}

/** Starts the tools service; throws, with everything closed again, when a part of it cannot start. */
export async function buildApp(config: Readonly<ToolsConfig>): Promise<App> {
  const log = createLogger({ service: 'tools', level: config.LOG_LEVEL });
  const clock = systemClock;
  const closers = new Closers(log);
  try {
    const telemetry = await startTelemetry({ service: 'tools', config, log });
    closers.push('telemetry', () => telemetry.close());
    const store = await connectMongo({
      uri: config.MONGODB_URI,
      database: config.MONGODB_DATABASE,
      log,
      collections: [executionCollection],
    });
    closers.push('mongo', () => store.close());
    const nats = await connectNats({ url: config.NATS_URL, name: 'tools', log });
    closers.push('nats', () => nats.close());
    const egress = createEgress({ allow: config.EGRESS_ALLOW, userAgent: 'Fairlead', log });
    closers.push('egress', () => egress.close());
    const callerKey = config.CALLER_CONTEXT_KEY;
    const peer = (addresses: readonly string[]): RpcPeer => {
      const opened = createRpcPeer({ addresses, transport: config.RPC_TRANSPORT });
      closers.push('peer', () => opened.close());
      return opened;
    };
    const service = createExecutionService({
      catalog: rememberCatalog(createCatalogClient({ peer: peer(config.CATALOG_URL), callerKey, clock }), {
        hear: (forget) => hearCatalogueChanges(nats, forget),
        clock,
      }),
      connections: createConnectionsClient({ peer: peer(config.CONNECTIONS_URL), callerKey, clock }),
      runtime: createConnectorRuntime({ egress, handlers: connectorHandlers }),
      history: createExecutionRepository({ store, ids: createHistoryIds(Math.random), clock }),
      schemas: createSchemaValidator({ log, clock }),
      slots: new ConnectionSlots(config.CONNECTION_CONCURRENCY),
      clock,
      timeoutMs: config.EXECUTION_TIMEOUT_MS,
    });
    const server = await startRpcServer({
      name: 'tools',
      config,
      log,
      clock,
      routes: (router) =>
        router
          .service(ExecutionService, service)
          .service(AccountDataService, createAccountDataService(createAccountData(store))),
    });
    closers.push('rpc server', () => server.close());
    server.setServing(true);
    return { httpUrl: server.httpUrl, grpcUrl: server.grpcUrl, close: () => closers.close() };
  } catch (error) {
    await closers.close();
    throw error;
  }
}
