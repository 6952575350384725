import { createConnectorHandlers, workerEntry } from '@fairlead/connectors/handlers';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { createMcpSignInClient } from '@fairlead/connector-runtime/mcp-oauth/sign-in-client';
import { createTokenClient } from '@fairlead/connector-runtime/token-client';
import {
  createHandlerWorkers,
  DISCOVERY_RESULT_BYTES,
} from '@fairlead/connector-runtime/workers/handler-workers';
import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { ChangeService } from '@fairlead/contracts/common/v1/change_service_pb';
import { AgentConnectionService } from '@fairlead/contracts/connections/v1/agent_connection_service_pb';
import { AuthProviderService } from '@fairlead/contracts/connections/v1/auth_provider_service_pb';
import { ConnectSessionService } from '@fairlead/contracts/connections/v1/connect_session_service_pb';
import { ConnectionService } from '@fairlead/contracts/connections/v1/connection_service_pb';
import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { SignInService } from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import { concurrencyOf } from '@fairlead/service-kit/config';
import { untilSharedReadsAreOld } from '@fairlead/service-kit/cache/shared-reads';
import { createChangeHints } from '@fairlead/service-kit/changes/change-hints';
import { createChangeLog } from '@fairlead/service-kit/changes/change-log';
import { createChangeService } from '@fairlead/service-kit/changes/change-service';
import {
  openAccountCpu,
  openNats,
  openPeer,
  openRpcServer,
  openPermits,
  openStore,
} from '@fairlead/service-kit/lifecycle/open-resources';
import { openEgress } from '@fairlead/egress/open-egress';
import { openSealing } from '@fairlead/sealing/open-sealing';
import { startService } from '@fairlead/service-kit/lifecycle/start-service';
import type { RpcApp, ServiceOverrides } from '@fairlead/service-kit/lifecycle/start-service';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { createPace } from '@fairlead/service-kit/sweep/pace';
import { SWEEP_AHEAD_MS } from '@fairlead/service-kit/sweep/sweep';
import { systemTimers } from '@fairlead/service-kit/timers';
import { createCatalogClient } from './clients/catalog.ts';
import { createConfiguredClients } from './clients/configured-clients.ts';
import { createFindMember } from './clients/members.ts';
import { signInAddresses } from './domain/sign-in-addresses.ts';
import type { ConnectionsConfig } from './config.ts';
import { bindUseCases } from './pages/bind-use-cases.ts';
import type { PageUseCases } from './pages/bind-use-cases.ts';
import { openPages } from './pages/pages.ts';
import { toChangeRecord } from './rpc/convert-connection-change.ts';
import { createAgentConnectionService } from './rpc/agent-connection-service.rpc.ts';
import { createAuthProviderService } from './rpc/auth-provider-service.rpc.ts';
import { createConnectSessionService } from './rpc/connect-session-service.rpc.ts';
import { createConnectionService } from './rpc/connection-service.rpc.ts';
import { createCredentialService } from './rpc/credential-service.rpc.ts';
import { createSignInService } from './rpc/sign-in-service.rpc.ts';
import { createAccountData } from './storage/account-data.ts';
import { authProvidersAfterSharedReads, connectionsAfterSharedReads } from './storage/after-shared-reads.ts';
import { createAuthProviderRepository } from './storage/auth-provider.repository.ts';
import { createConnectSessionRepository } from './storage/connect-session.repository.ts';
import { createConnectionChanges } from './storage/connection-changes.ts';
import { createConnectionCounts } from './storage/connection-counts.ts';
import { createConnectionUses } from './storage/connection-uses.ts';
import { connectionCollection, RENEWAL_PATH } from './storage/connection.collection.ts';
import { createExpiredListings } from './storage/expired-listings.ts';
import { createConnectionRepository } from './storage/connection.repository.ts';
import { createCredentialVault } from './storage/credential-vault.ts';
import { createCredentialRepository } from './storage/credential.repository.ts';
import { createErasedGrants } from './storage/erased-grants.ts';
import { createRegisteredClientRepository } from './storage/registered-client.repository.ts';
import { REVOCATION_PATH, revocationCollection } from './storage/revocation.collection.ts';
import { createRevocationRepository } from './storage/revocation.repository.ts';
import { schema } from './storage/schema.ts';
import { sealedCollections } from './storage/sealed-collections.ts';
import { createSignInRepository } from './storage/sign-in.repository.ts';
import { createToolReader } from './use-cases/read-tools-again.ts';
import { createTokenRefresher } from './use-cases/refresh-token.ts';
import { startGrantKeeper } from './workers/grant-keeper.ts';
import { startListingKeeper } from './workers/listing-keeper.ts';
import { startGrantRevoker } from './workers/grant-revoker.ts';

/** Renewals of unused grants per second and vendor, over all replicas; revocations have the same limit. */
const REQUESTS_PER_SECOND = 10;

/** Longest time to answer a page: it may wait for a vendor. */
const PAGE_TIMEOUT_MS = 120_000;

/** The running service. */
export interface ConnectionsApp extends RpcApp {
  /** The use cases of the pages, for tests without a browser. */
  readonly pageUseCases: PageUseCases;
}

/** Starts the connections service. If a part cannot start, closes the started parts and throws. */
export function buildApp(
  config: ConnectionsConfig,
  overrides: ServiceOverrides = {},
): Promise<ConnectionsApp> {
  return startService({ name: 'connections', config, ...overrides }, async (parts) => {
    const { log, clock, closers } = parts;
    const store = await openStore(parts, config, schema);
    const egress = openEgress(parts, config);
    const accountCpu = openAccountCpu(parts);
    const workers = closers.add(
      'workers',
      createHandlerWorkers({
        entry: workerEntry,
        allow: config.EGRESS_ALLOW,
        log,
        limits: { maxWorkers: config.WORKER_PROCESSES, resultBytes: DISCOVERY_RESULT_BYTES },
        onCpu: accountCpu.charge,
      }),
    );
    const catalogPeer = openPeer(parts, config, 'catalog', config.CATALOG_URL);

    const sealer = await openSealing(parts, config, store, sealedCollections);
    const vault = createCredentialVault(sealer);
    const nats = await openNats(parts, config);
    const onRecorded = createChangeHints({ nats, service: 'connections', log });
    const changeLog = createChangeLog({ store, clock, onRecorded });
    const counts = createConnectionCounts(store);
    const changes = createConnectionChanges(store, counts, (session, change) =>
      changeLog.append(session, toChangeRecord(change)),
    );
    const uses = createConnectionUses({ store, clock, timers: systemTimers, log });
    closers.push('uses of connections', () => uses.drain());
    const awaitSharedReads = () => untilSharedReadsAreOld(systemTimers);
    const connections = createConnectionRepository(store, vault, counts, changes);
    const authProviders = createAuthProviderRepository(store, vault);
    const shared = {
      clock,
      awaitSharedReads,
      catalog: createCatalogClient({
        peer: catalogPeer,
        callerKeys: config.CALLER_CONTEXT_KEYS,
        clock,
      }),
      runtime: createConnectorRuntime({ egress, handlers: createConnectorHandlers(workers) }),
      tokenClient: createTokenClient({ egress, clock }),
      mcpSignIns: createMcpSignInClient({ egress, clock }),
      ownClients: createConfiguredClients(config.CONNECTOR_OAUTH_CLIENTS),
      addresses: signInAddresses(config.PUBLIC_URL),
      authProviders: authProvidersAfterSharedReads(authProviders, awaitSharedReads),
      connections: connectionsAfterSharedReads(connections, awaitSharedReads),
      credentials: createCredentialRepository(store, vault, changes, uses),
      signIns: createSignInRepository(store, vault),
      registeredClients: createRegisteredClientRepository(store, vault),
      connectSessions: createConnectSessionRepository(store),
      vendorPermits: openPermits(parts, concurrencyOf(config)),
      refreshPermits: openPermits(parts, concurrencyOf(config)),
    };
    const refresher = createTokenRefresher(shared, 'call');
    closers.push('token refreshes', () => refresher.drain());
    // Own permits for background renewals: renewals that callers wait for must not queue behind them.
    const keptPermits = openPermits(parts, concurrencyOf(config));
    const keeping = createTokenRefresher({ ...shared, refreshPermits: keptPermits }, 'keeper');
    closers.push('kept grants', () => keeping.drain());
    const perSecond = REQUESTS_PER_SECOND;
    const pace = createPace(store, { name: 'grants', perSecond, aheadMs: SWEEP_AHEAD_MS, clock });
    const grants = createClaims(store, connectionCollection, RENEWAL_PATH);
    closers.add('grant keeper', startGrantKeeper({ grants, refresher: keeping, pace, clock, log }));
    const revoked = createPace(store, { name: 'revocations', perSecond, aheadMs: SWEEP_AHEAD_MS, clock });
    const due = createClaims(store, revocationCollection, REVOCATION_PATH);
    const revocations = createRevocationRepository(store, vault, sealer);
    closers.add('grant revoker', startGrantRevoker({ ...shared, due, revocations, pace: revoked, log }));
    const accountData = createAccountData(store, sealer, createErasedGrants(store, vault, clock));
    const listings = createExpiredListings(store, counts);
    closers.add('listing keeper', startListingKeeper({ listings, clock, log }));
    const toolReader = createToolReader({ ...shared, refresher, timers: systemTimers });
    closers.push('readings of tools', () => toolReader.drain());
    const findMember = createFindMember({
      peer: openPeer(parts, config, 'identity', config.IDENTITY_URL),
      callerKeys: config.CALLER_CONTEXT_KEYS,
      clock,
    });
    const deps = { ...shared, refresher, toolReader, findMember };

    const pageUseCases = bindUseCases(deps);
    const pages = openPages({
      useCases: pageUseCases,
      findMember,
      publicUrl: config.PUBLIC_URL.replace(/\/+$/, ''),
      clock,
    });

    const server = await openRpcServer(
      parts,
      config,
      (router) =>
        router
          .service(ConnectionService, createConnectionService(deps))
          .service(AuthProviderService, createAuthProviderService(deps))
          .service(SignInService, createSignInService(deps))
          .service(ConnectSessionService, createConnectSessionService({ ...deps, connections }))
          .service(CredentialService, createCredentialService(deps))
          .service(AgentConnectionService, createAgentConnectionService(deps))
          .service(AccountDataService, createAccountDataService(accountData))
          .service(ChangeService, createChangeService(changeLog)),
      {
        http: { pages, mounts: [], pageTimeoutMs: PAGE_TIMEOUT_MS },
        // Restricted keys may call these, because calls need credentials; the tools service decides which connections they may use.
        openToConfined: [...CredentialService.methods, SignInService.method.listSignInClients],
        openToAnonymous: CredentialService.methods,
      },
    );
    return { ...server, pageUseCases };
  });
}
