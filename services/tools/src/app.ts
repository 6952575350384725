import { connectorHandlers } from '@fairlead/connectors/handlers';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import { createEgress } from '@fairlead/service-kit/egress/egress';
import { startService } from '@fairlead/service-kit/lifecycle/start-service';
import type { RpcApp, ServiceOverrides } from '@fairlead/service-kit/lifecycle/start-service';
import { connectMongo } from '@fairlead/service-kit/mongo/mongo';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import { createRpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import { createCatalogClient } from './clients/catalog.ts';
import { createConnectionsClient } from './clients/connections.ts';
import { createCachedCatalog, followCatalogueChanges } from './clients/cached-catalog.ts';
import type { ToolsConfig } from './config.ts';
import { createHistoryIds } from './domain/history-id.ts';
import { createExecutionService } from './rpc/execution-service.rpc.ts';
import { createSchemaValidator } from './schemas/schema-validator.ts';
import { ConnectionSlots } from './slots/connection-slots.ts';
import { createAccountData } from './storage/account-data.ts';
import { createExecutionRepository } from './storage/execution.repository.ts';
import { schema } from './storage/schema.ts';

/** Starts the tools service; throws, with everything closed again, when a part of it cannot start. */
export function buildApp(config: ToolsConfig, overrides: ServiceOverrides = {}): Promise<RpcApp> {
  return startService({ name: 'tools', config, ...overrides }, async ({ log, clock, closers }) => {
    const store = closers.add(
      'mongo',
      await connectMongo({
        uri: config.MONGODB_URI,
        database: config.MONGODB_DATABASE,
        log,
        ...schema,
      }),
    );
    const nats = closers.add('nats', await connectNats({ url: config.NATS_URL, name: 'tools', log }));
    const egress = closers.add(
      'egress',
      createEgress({ allow: config.EGRESS_ALLOW, userAgent: 'Fairlead', log }),
    );
    const callerKeys = config.CALLER_CONTEXT_KEYS;
    const peer = (service: string, addresses: readonly string[]): RpcPeer =>
      closers.add('peer', createRpcPeer({ service, addresses, transport: config.RPC_TRANSPORT }));
    const service = createExecutionService({
      catalog: createCachedCatalog(
        createCatalogClient({ peer: peer('catalog', config.CATALOG_URL), callerKeys, clock }),
        {
          subscribe: (onChange) => followCatalogueChanges(nats, onChange),
          clock,
        },
      ),
      connections: createConnectionsClient({
        peer: peer('connections', config.CONNECTIONS_URL),
        callerKeys,
        clock,
      }),
      runtime: createConnectorRuntime({ egress, handlers: connectorHandlers }),
      history: createExecutionRepository({ store, ids: createHistoryIds(Math.random), clock }),
      schemas: createSchemaValidator({ log, clock }),
      slots: new ConnectionSlots(config.CONNECTION_CONCURRENCY),
      clock,
      timeoutMs: config.EXECUTION_TIMEOUT_MS,
    });
    return closers.add(
      'rpc server',
      await startRpcServer({
        name: 'tools',
        config,
        log,
        clock,
        routes: (router) =>
          router
            .service(ExecutionService, service)
            .service(AccountDataService, createAccountDataService(createAccountData(store))),
      }),
    );
  });
}
