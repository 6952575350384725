import type { DescService } from '@bufbuild/protobuf';
import { systemClock } from '@fairlead/service-kit/clock';
import type { Clock } from '@fairlead/service-kit/clock';
import { loadConfig } from '@fairlead/service-kit/config';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { testCallerKeys, testCallerKeysText } from '@fairlead/service-kit/testing/rpc';
import { MongoClient } from 'mongodb';
import type { Db } from 'mongodb';
import { buildApp } from '../app.ts';
import { deliveryConfig } from '../config.ts';

/** The whole service on its own database. */
export interface TestDelivery {
  readonly db: Db;
  client<S extends DescService>(service: S): RpcClient<S>;
  /** Ends the process like a signal. */
  stop(): Promise<void>;
  /** Stops it and deletes its database. */
  close(): Promise<void>;
}

/** Starts the service; it may send to this machine. */
export async function startDelivery(
  mongodbUri: string,
  natsUrl: string,
  { clock = systemClock, graceMs = 1_000 }: { readonly clock?: Clock; readonly graceMs?: number } = {},
): Promise<TestDelivery> {
  const database = `test_${randomBase62(16)}`;
  const config = loadConfig(deliveryConfig, {
    LOG_LEVEL: 'silent',
    CALLER_CONTEXT_KEYS: testCallerKeysText,
    SHUTDOWN_GRACE_MS: String(graceMs),
    NATS_URL: natsUrl,
    MONGODB_URI: mongodbUri,
    MONGODB_DATABASE: database,
    SEALING_KEYS: `v1:${Buffer.alloc(32, 3).toString('base64')}`,
    EGRESS_ALLOW: '127.0.0.1',
  });
  const app = await buildApp(config, { clock });
  const peer = testPeer('delivery', app);
  const mongo = await MongoClient.connect(mongodbUri);
  const db = mongo.db(database);
  return {
    db,
    client: (service) => createRpcClient(service, { peer, callerKeys: testCallerKeys, clock }),
    stop: () => app.close(),
    async close() {
      await peer.close();
      await app.close();
      await db.dropDatabase();
      await mongo.close();
    },
  };
}
