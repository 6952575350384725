import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCatalogueFile } from '@fairlead/connector-model/catalogue-file';
import type { Connector } from '@fairlead/connector-model/model';
import { ApplicationService } from '@fairlead/contracts/catalog/v1/application_service_pb';
import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { systemClock } from '@fairlead/service-kit/clock';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { Secret } from '@fairlead/service-kit/secret';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { MongoClient } from 'mongodb';
import { buildApp } from '../app.ts';
import type { CatalogConfig } from '../config.ts';
import { encodedConnector } from './connectors.ts';

/** A running replica and real clients for it. */
export interface Replica {
  readonly applications: RpcClient<typeof ApplicationService>;
  readonly tools: RpcClient<typeof ToolService>;
  readonly accountData: RpcClient<typeof AccountDataService>;
  /** Address for other gRPC clients. */
  readonly grpcUrl: string;
  readonly callerKeys: KeyRing;
  close(): Promise<void>;
}

/** A fresh database and any number of replicas of the service. */
export interface Installation {
  /** The name of its database. */
  readonly database: string;
  /** Starts a replica whose catalogue file holds these connectors. */
  start(
    connectors: readonly Connector[],
    o?: {
      readonly settings?: CatalogConfig['CONNECTOR_SETTINGS'];
      readonly clock?: Clock;
      readonly log?: Logger;
      /** Address of another NATS than the installation's. */
      readonly natsUrl?: string;
    },
  ): Promise<Replica>;
  /** Stops every replica and deletes the database. */
  remove(): Promise<void>;
}

/** Creates an installation of the catalog service on a real mongod and a real nats-server. */
export async function createInstallation(
  mongodbUri: string,
  installationNatsUrl: string,
): Promise<Installation> {
  const directory = await mkdtemp(join(tmpdir(), 'catalog-'));
  const database = `test_${randomBase62(16)}`;
  const callerKeys = parseKeyRing(`v1:${randomBytes(32).toString('base64')}`);
  const replicas: Replica[] = [];
  return {
    database,
    async start(connectors, { settings = {}, clock = systemClock, log, natsUrl = installationNatsUrl } = {}) {
      const path = join(directory, `${randomBase62(8)}.json`);
      await writeCatalogueFile(path, connectors);
      const config: CatalogConfig = {
        HOST: '127.0.0.1',
        PORT: 0,
        GRPC_PORT: 0,
        LOG_LEVEL: 'silent',
        SHUTDOWN_GRACE_MS: 1000,
        CALLER_CONTEXT_KEYS: callerKeys,
        MONGODB_URI: new Secret(mongodbUri),
        NATS_URL: new Secret(natsUrl),
        MONGODB_DATABASE: database,
        CATALOGUE_PATH: path,
        CONNECTOR_SETTINGS: settings,
        ACCOUNT_CACHE_MB: 64,
      };
      const app = await buildApp(config, {
        clock,
        log: log ?? createLogger({ service: 'catalog', level: 'silent' }),
      });
      const peer = testPeer('catalog', app);
      const client = { peer, callerKeys, clock };
      const replica: Replica = {
        applications: createRpcClient(ApplicationService, client),
        tools: createRpcClient(ToolService, client),
        accountData: createRpcClient(AccountDataService, client),
        grpcUrl: app.grpcUrl,
        callerKeys,
        async close() {
          await peer.close();
          await app.close();
        },
      };
      replicas.push(replica);
      return replica;
    },
    async remove() {
      await Promise.all(replicas.map((replica) => replica.close()));
      const client = await MongoClient.connect(mongodbUri);
      await client.db(database).dropDatabase();
      await client.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Stores an application that belongs to the account. */
export function putApplication(
  { applications }: Pick<Replica, 'applications'>,
  ctx: RequestContext,
  connector: Connector,
) {
  return applications.putAccountApplication(ctx, { encodedConnector: encodedConnector(connector) });
}
