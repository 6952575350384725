import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import { EndpointService } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { McpServerService } from '@fairlead/contracts/mcp/v1/mcp_server_service_pb';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import {
  openNats,
  openPeer,
  openRpcServer,
  openSealing,
  openStore,
} from '@fairlead/service-kit/lifecycle/open-resources';
import { startService } from '@fairlead/service-kit/lifecycle/start-service';
import type { RpcApp, ServiceOverrides } from '@fairlead/service-kit/lifecycle/start-service';
import { createCatalogClient } from './clients/catalog.ts';
import { createConnectionsClient } from './clients/connections.ts';
import { createToolsClient } from './clients/tools.ts';
import type { McpConfig } from './config.ts';
import { announceServerChanges } from './events/server-changes.ts';
import { createEndpointService } from './rpc/endpoint-service.rpc.ts';
import { createMcpServerService } from './rpc/mcp-server-service.rpc.ts';
import { createUseService } from './rpc/use-service.rpc.ts';
import { createAccountData } from './storage/account-data.ts';
import { createMcpServerRepository } from './storage/mcp-server.repository.ts';
import { schema } from './storage/schema.ts';
import { sealedCollections } from './storage/sealed-collections.ts';

/** Starts the mcp service. When a part cannot start, closes what has started and throws. */
export function buildApp(config: McpConfig, overrides: ServiceOverrides = {}): Promise<RpcApp> {
  return startService({ name: 'mcp', config, ...overrides }, async (parts) => {
    const { clock, log } = parts;
    const store = await openStore(parts, config, schema);
    const sealer = await openSealing(parts, config, store, sealedCollections);
    const nats = await openNats(parts, config);
    const calling = { callerKeys: config.CALLER_CONTEXT_KEYS, clock };
    const catalogPeer = openPeer(parts, config, 'catalog', config.CATALOG_URL);
    const connectionsPeer = openPeer(parts, config, 'connections', config.CONNECTIONS_URL);
    const toolsPeer = openPeer(parts, config, 'tools', config.TOOLS_URL);
    const deps = {
      servers: createMcpServerRepository(store, sealer),
      changeServers: announceServerChanges({ nats, log }),
      catalog: createCatalogClient({ ...calling, peer: catalogPeer }),
      connections: createConnectionsClient({ ...calling, peer: connectionsPeer }),
      tools: createToolsClient({ ...calling, peer: toolsPeer }),
      clock,
    };
    return await openRpcServer(parts, config, (router) =>
      router
        .service(McpServerService, createMcpServerService(deps))
        .service(EndpointService, createEndpointService(deps))
        .service(UseService, createUseService(deps))
        .service(AccountDataService, createAccountDataService(createAccountData(store, sealer))),
    );
  });
}
