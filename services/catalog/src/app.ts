import { readCatalogueFile } from '@fairlead/connector-model/catalogue-file';
import { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { createAccountDataService } from '@fairlead/service-kit/account-data';
import { createAnswerCache } from '@fairlead/service-kit/cache/answer-cache';
import { systemClock } from '@fairlead/service-kit/clock';
import type { Clock } from '@fairlead/service-kit/clock';
import { Closers } from '@fairlead/service-kit/lifecycle/lifecycle';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { connectMongo } from '@fairlead/service-kit/mongo/mongo';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import { startTelemetry } from '@fairlead/service-kit/telemetry/telemetry';
import type { Config } from './config.ts';
import { createShelf } from './domain/shelf.ts';
import { catalogueStream, createCatalogueChanges } from './events/catalogue-changes.ts';
import { createApplicationService } from './rpc/application.rpc.ts';
import { createToolService } from './rpc/tool.rpc.ts';
import { createLexicalIndex } from './search/lexical-index.ts';
import { createAccountData } from './storage/account-data.ts';
import { accountApplicationCollection } from './storage/account-application.collection.ts';
import { createAccountApplicationRepository } from './storage/account-application.repository.ts';
import { accountRevisionCollection } from './storage/account-revision.collection.ts';
import { platformApplicationCollection } from './storage/platform-application.collection.ts';
import { createPlatformApplicationRepository } from './storage/platform-application.repository.ts';
import { createAccountShelves } from './use-cases/account-shelves.ts';
import { createCatalogue } from './use-cases/catalogue.ts';
import { loadPlatform } from './use-cases/load-platform.ts';

/** A running catalog service. */
export interface App {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  close(): Promise<void>;
}

/** How long a change of an account's applications may go unnoticed whose message was lost. */
const REVISION_TTL_MS = 2_000;
const MAX_REVISIONS = 50_000;

/** Every collection of the service's database. */
export const collections = [
  platformApplicationCollection,
  accountApplicationCollection,
  accountRevisionCollection,
];

/** Starts the service: reads the catalogue file, connects to MongoDB, serves. Rejects where one of them fails. */
export async function buildApp(
  config: Config,
  {
    clock = systemClock,
    log = createLogger({ service: 'catalog', level: config.LOG_LEVEL }),
  }: { clock?: Clock; log?: Logger } = {},
): Promise<App> {
  const closers = new Closers(log);
  try {
    const telemetry = await startTelemetry({ service: 'catalog', config, log });
    closers.push('telemetry', () => telemetry.close());
    // The file first: a wrong path should not wait for a database.
    const connectors = await readCatalogueFile(config.CATALOGUE_PATH);
    const store = await connectMongo({
      uri: config.MONGODB_URI,
      database: config.MONGODB_DATABASE,
      log,
      collections,
    });
    closers.push('MongoDB', () => store.close());
    const nats = await connectNats({
      url: config.NATS_URL,
      name: 'catalog',
      log,
      streams: [catalogueStream],
    });
    closers.push('NATS', () => nats.close());

    const { applications, isChanged } = await loadPlatform(
      { store: createPlatformApplicationRepository(store), clock, log },
      connectors,
      config.CONNECTOR_SETTINGS,
    );
    const accounts = createAccountApplicationRepository(store);
    const changes = createCatalogueChanges({ nats, log });
    const revisions = createAnswerCache<number>({
      hear: (forget) => changes.hear(forget),
      clock,
      ttlMs: REVISION_TTL_MS,
      maxEntries: MAX_REVISIONS,
    });
    const shelves = createAccountShelves({
      store: {
        list: (ctx, accountId) => accounts.list(ctx, accountId),
        revision: (ctx, accountId) => revisions.get(accountId, '', () => accounts.revision(ctx, accountId)),
      },
      createIndex: createLexicalIndex,
      maxBytes: config.ACCOUNT_CACHE_MB * 1024 * 1024,
    });
    const deps = {
      catalogue: createCatalogue(createShelf(applications, createLexicalIndex), shelves),
      store: accounts,
      changes,
      platformSlugs: new Set(connectors.map(({ slug }) => slug)),
      clock,
    };
    const server = await startRpcServer({
      name: 'catalog',
      config,
      log,
      clock,
      routes(router) {
        router.service(ApplicationService, createApplicationService(deps));
        router.service(ToolService, createToolService(deps));
        router.service(AccountDataService, createAccountDataService(createAccountData(store, changes)));
      },
    });
    closers.push('RPC server', () => server.close());
    server.setServing(true);
    if (isChanged) await changes.announce(undefined);
    return { httpUrl: server.httpUrl, grpcUrl: server.grpcUrl, close: () => closers.close() };
  } catch (error) {
    await closers.close();
    throw error;
  }
}
