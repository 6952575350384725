import { randomBytes } from 'node:crypto';
import { systemClock } from '@fairlead/service-kit/clock';
import type { Clock } from '@fairlead/service-kit/clock';
import { loadConfig } from '@fairlead/service-kit/config';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import type { RpcApp } from '@fairlead/service-kit/lifecycle/start-service';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { buildApp } from '../app.ts';
import { identityConfig } from '../config.ts';
import { schema } from '../storage/schema.ts';

/** The test stores, provided by vitest. */
export interface TestStores {
  readonly mongodbUri: string;
  readonly natsUrl: string;
}

/** Options of the service that a test may set. */
export interface IdentityServiceOptions {
  /** Number of instances on one database; default 1. */
  readonly count?: number;
  readonly clock?: Clock;
  /** Default: an address at which nothing listens. */
  readonly publicUrl?: string;
  /** Further variables of the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Replaces the guarded egress. */
  readonly fetch?: typeof globalThis.fetch;
  readonly log?: Logger;
}

/** Instances of the service on their own database. */
export interface IdentityService {
  readonly apps: readonly [RpcApp, ...RpcApp[]];
  /** The test's own connection to the instances' database. */
  readonly store: MongoStore;
  /** The keys that sign the callers of the instances. */
  readonly callerKeys: KeyRing;
  close(): Promise<void>;
}

/** Starts the service as it is deployed. */
export async function startIdentityService(
  { mongodbUri, natsUrl }: TestStores,
  {
    count = 1,
    clock = systemClock,
    publicUrl = 'http://127.0.0.1:9',
    env,
    fetch,
    log,
  }: IdentityServiceOptions,
): Promise<IdentityService> {
  const store = await testStore(mongodbUri, schema.collections);
  const callerKeys = `v1:${randomBytes(32).toString('base64')}`;
  const config = loadConfig(identityConfig, {
    LOG_LEVEL: 'silent',
    CALLER_CONTEXT_KEYS: callerKeys,
    SHUTDOWN_GRACE_MS: '1000',
    MONGODB_URI: mongodbUri,
    MONGODB_DATABASE: store.db.databaseName,
    NATS_URL: natsUrl,
    SEALING_KEYS: `v1:${randomBytes(32).toString('base64')}`,
    PUBLIC_URL: publicUrl,
    ...env,
  });
  const start = () => buildApp(config, { clock, ...(fetch && { fetch }), ...(log && { log }) });
  const apps: IdentityService['apps'] = [
    await start(),
    ...(await Promise.all(Array.from({ length: count - 1 }, start))),
  ];
  return {
    apps,
    store,
    callerKeys: parseKeyRing(callerKeys),
    async close() {
      await Promise.all(apps.map((app) => app.close()));
      await store.drop();
    },
  };
}
