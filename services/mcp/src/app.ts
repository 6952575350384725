import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import { EndpointService } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { McpServerService } from '@fairlead/contracts/mcp/v1/mcp_server_service_pb';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import { openNats, openPeer, openRpcServer, openStore } from '@fairlead/service-kit/lifecycle/open-resources';
import { openSealing } from '@fairlead/sealing/open-sealing';
import { startService } from '@fairlead/service-kit/lifecycle/start-service';
import type { RpcApp, ServiceOverrides } from '@fairlead/service-kit/lifecycle/start-service';
import { systemTimers } from '@fairlead/service-kit/timers';
import { createCatalogClient } from './clients/catalog.ts';
import { createFollowedLists } from './caches/followed-lists.ts';
import { createUpstreamListCache } from './caches/known-lists.ts';
import { createActiveServers } from './caches/active-servers.ts';
import { createToolSearch } from './caches/tool-search.ts';
import { createConnectionsClient } from './clients/connections.ts';
import { createDetachedCallsClient } from './clients/detached-calls.ts';
import { createOwnConnectionsClient } from './clients/own-connections.ts';
import { createToolCallsClient } from './clients/tool-calls.ts';
import { createToolListsClient } from './clients/tool-lists.ts';
import { createToolsClient } from './clients/tools.ts';
import { createUpstreamsClient } from './clients/upstreams.ts';
import type { McpConfig } from './config.ts';
import { createToolDefinitions } from './domain/tool-definition.ts';
import { createToolDescriptions } from './domain/tool-descriptions.ts';
import { createClientRequests } from './events/client-answers.ts';
import { createListChanges } from './events/list-changes.ts';
import { followServerChanges } from './events/follow-server-changes.ts';
import { announceServerChanges } from './events/server-changes.ts';
import { createEndpointService } from './rpc/endpoint-service.rpc.ts';
import { createMcpServerService } from './rpc/mcp-server-service.rpc.ts';
import { createUseService } from './rpc/use-service.rpc.ts';
import { createRequestStates } from './sealing/request-states.ts';
import { createAccountData } from './storage/account-data.ts';
import { createMcpServerRepository } from './storage/mcp-server.repository.ts';
import { schema } from './storage/schema.ts';
import { createServedDefinitionRepository } from './storage/served-definition.repository.ts';
import { createUpstreamListRepository } from './storage/upstream-lists.repository.ts';
import { sealedCollections } from './storage/sealed-collections.ts';
import { findActiveServer } from './use-cases/endpoint/find-active-server.ts';

/** Cache size of tool descriptions, a few KiB each. */
const DESCRIPTION_BYTES = 64 * 1024 * 1024;
/** Cache size of fingerprints of tool definitions, 200 bytes each. */
const DEFINITIONS = 20_000;
/** Number of cached search indexes of servers’ tools, up to a few MiB each. */
const SEARCH_INDEXES = 20;
/** Longest duration of a call; it ends at its caller’s deadline if that is earlier. */
const CALL_TIMEOUT_MS = 600_000;

/** Starts the mcp service. If a part cannot start, closes the started parts and throws. */
export function buildApp(config: McpConfig, overrides: ServiceOverrides = {}): Promise<RpcApp> {
  return startService({ name: 'mcp', config, ...overrides }, async (parts) => {
    const { clock, log, closers } = parts;
    const stopping = new AbortController();
    const store = await openStore(parts, config, schema);
    const sealer = await openSealing(parts, config, store, sealedCollections);
    const nats = await openNats(parts, config);
    const calling = { callerKeys: config.CALLER_CONTEXT_KEYS, clock };
    const catalogPeer = openPeer(parts, config, 'catalog', config.CATALOG_URL);
    const connectionsPeer = openPeer(parts, config, 'connections', config.CONNECTIONS_URL);
    const toolsPeer = openPeer(parts, config, 'tools', config.TOOLS_URL);
    const servers = createMcpServerRepository(store, sealer);
    const connections = createConnectionsClient({ ...calling, peer: connectionsPeer });
    const listDeps = {
      servers,
      connections,
      upstreamConnections: connections,
      toolLists: createToolListsClient({
        catalog: { ...calling, peer: catalogPeer },
        tools: { ...calling, peer: toolsPeer },
      }),
      descriptions: createToolDescriptions(DESCRIPTION_BYTES),
      definitions: createToolDefinitions(DEFINITIONS),
      toolDefinitions: createServedDefinitionRepository(store),
      clock,
    };
    const changeServers = announceServerChanges({ nats, log });
    const upstreamRequests = createUpstreamsClient({
      ...calling,
      peer: toolsPeer,
      defaultTimeoutMs: CALL_TIMEOUT_MS,
    });
    const callingTools = { ...calling, peer: toolsPeer, defaultTimeoutMs: CALL_TIMEOUT_MS };
    const upstreamLists = createUpstreamListCache({
      requests: upstreamRequests,
      store: createUpstreamListRepository(store),
      clock,
      timers: systemTimers,
      // Treated like changes of the account's servers, because their lists change.
      onChange: (accountId) => changeServers({ accountId }, () => Promise.resolve()),
    });
    const following = { upstreamLists, upstreamChanges: upstreamRequests, timers: systemTimers };
    const deps = {
      ...listDeps,
      ...following,
      followedLists: createFollowedLists(following),
      stopping: stopping.signal,
      listChanges: createListChanges({
        subscribe: (onChange) => followServerChanges(nats, onChange),
        timers: systemTimers,
      }),
      changeServers,
      upstreamRequests,
      catalog: createCatalogClient({ ...calling, peer: catalogPeer }),
      tools: createToolsClient({ ...calling, peer: toolsPeer }),
      activeServers: createActiveServers((ctx, of) => findActiveServer(listDeps, ctx, of), {
        clock,
        subscribe: (onChange) => followServerChanges(nats, onChange),
      }),
      clientRequests: createClientRequests(nats),
      requestStates: createRequestStates({ sealer, clock }),
      ownConnections: createOwnConnectionsClient({
        ...calling,
        peer: connectionsPeer,
        publicUrl: config.PUBLIC_URL,
      }),
      toolSearch: createToolSearch(SEARCH_INDEXES),
      toolCalls: createToolCallsClient(callingTools),
      detachedCalls: createDetachedCallsClient(callingTools),
    };
    const { handleMessage, handleMessageInteractively } = EndpointService.method;
    const handling = [handleMessage, handleMessageInteractively];
    const app = await openRpcServer(
      parts,
      config,
      (router) =>
        router
          .service(McpServerService, createMcpServerService(deps))
          .service(EndpointService, createEndpointService(deps))
          .service(UseService, createUseService(deps))
          .service(AccountDataService, createAccountDataService(createAccountData(store, sealer))),
      // The endpoint enforces the restriction itself, and knows which servers admit anonymous clients.
      { openToConfined: handling, openToAnonymous: handling },
    );
    // Closed first: listening requests would otherwise last until the end of the grace period.
    closers.push('listeners', () => stopping.abort());
    return app;
  });
}
