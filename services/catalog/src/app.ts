import { readCatalogueFile } from '@fairlead/connector-model/catalogue-file';
import { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { TriggerTypeService } from '@fairlead/contracts/catalog/v1/trigger_type_service_pb';
import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import { createChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import {
  openAccountCpu,
  openNats,
  openRpcServer,
  openStore,
} from '@fairlead/service-kit/lifecycle/open-resources';
import { startService } from '@fairlead/service-kit/lifecycle/start-service';
import type { RpcApp, ServiceOverrides } from '@fairlead/service-kit/lifecycle/start-service';
import type { CatalogConfig } from './config.ts';
import { createConnectorReader } from './connectors/create-connector-reader.ts';
import { createApplicationList, searchTextOf } from './domain/application-list.ts';
import { catalogueStream, createCatalogueChanges } from './events/catalogue-changes.ts';
import { createApplicationService } from './rpc/application-service.rpc.ts';
import { createToolService } from './rpc/tool-service.rpc.ts';
import { createTriggerTypeService } from './rpc/trigger-type-service.rpc.ts';
import { createMeaningIndex } from './search/meaning-index.ts';
import { readWordVectors } from './search/word-vectors.ts';
import { createCatalogue } from './caches/catalogue.ts';
import { createAccountData } from './storage/account-data.ts';
import { createAccountApplicationRepository } from './storage/account-application.repository.ts';
import { createPlatformApplicationRepository } from './storage/platform-application.repository.ts';
import { schema } from './storage/schema.ts';
import { loadPlatform } from './use-cases/load-platform.ts';

/** How long a replica may miss a change of an account's applications if its message is lost. */
const REVISION_TTL_MS = 2_000;
const MAX_REVISIONS = 50_000;

/** Starts the service: reads the catalogue file, connects to MongoDB, serves. Rejects if any of these fails. */
export function buildApp(config: CatalogConfig, overrides: ServiceOverrides = {}): Promise<RpcApp> {
  return startService({ name: 'catalog', config, ...overrides }, async (parts) => {
    const { log, clock, closers } = parts;
    // Reads the file first, so that a wrong path fails without waiting for a database.
    const connectors = await readCatalogueFile(config.CATALOGUE_PATH);
    const vectors = await readWordVectors();
    const store = await openStore(parts, config, schema);
    const nats = await openNats(parts, config, [catalogueStream]);

    const { applications, isChanged } = await loadPlatform(
      { store: createPlatformApplicationRepository(store), clock, log },
      connectors,
      config.CONNECTOR_SETTINGS,
    );
    const accounts = createAccountApplicationRepository(store);
    const changes = createCatalogueChanges({ nats, log });
    const revisions = createChangeCaches({
      subscribe: (onChange) => changes.subscribe(onChange),
      clock,
      freshMs: REVISION_TTL_MS,
      uncertainMs: 0,
      announcedMs: 0,
      maxEntries: MAX_REVISIONS,
    }).open<number>((_revision, accountId) => accountId);
    const { charge } = openAccountCpu(parts);
    const createIndex = createMeaningIndex({
      platform: () =>
        applications.flatMap(({ connector }) => connector.tools.map((tool) => searchTextOf(connector, tool))),
      vectors,
    });
    const catalogue = createCatalogue({
      platform: createApplicationList(applications, createIndex),
      store: {
        list: (ctx, accountId, known) => accounts.list(ctx, accountId, known),
        revision: (ctx, accountId) => revisions.get(accountId, () => accounts.revision(ctx, accountId)),
      },
      createIndex,
      maxBytes: config.ACCOUNT_CACHE_MB * 1024 * 1024,
    });
    const deps = {
      catalogue,
      store: accounts,
      connectors: closers.add('connector reader', createConnectorReader(charge)),
      changes,
      platformSlugs: new Set(connectors.map(({ slug }) => slug)),
      clock,
    };
    const { listApplications, getApplication, getConnector } = ApplicationService.method;
    const { listTools, listToolRecords, listChosenTools, getTool, resolveTool } = ToolService.method;
    const server = await openRpcServer(
      parts,
      config,
      (router) =>
        router
          .service(ApplicationService, createApplicationService(deps))
          .service(ToolService, createToolService(deps))
          .service(TriggerTypeService, createTriggerTypeService(deps))
          .service(AccountDataService, createAccountDataService(createAccountData(store, changes))),
      {
        openToConfined: [
          listApplications,
          getApplication,
          getConnector,
          listTools,
          listToolRecords,
          listChosenTools,
          getTool,
          resolveTool,
        ],
        openToAnonymous: [getConnector, listChosenTools, getTool, resolveTool],
      },
    );
    if (isChanged) await changes.announce(undefined);
    return server;
  });
}
