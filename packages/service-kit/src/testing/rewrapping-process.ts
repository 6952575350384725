import { z } from 'zod';
import { loadConfig, mongoConfigShape, sealingConfigShape } from '../config.ts';
import { createLease } from '../mongo/lease.ts';
import { connectMongo } from '../mongo/mongo.ts';
import { dataKeyCollection, mongoDataKeyStore } from '../sealing/data-keys.ts';
import { keepDataKeysWrapped } from '../sealing/rewrapping.ts';
import { ringKeyEncryption } from '../sealing/ring-key-encryption.ts';
import { createLogger } from '../telemetry/logger.ts';

// A process that rewraps data keys, slowly, for a test that kills it.
const config = loadConfig(
  z.object({
    ...mongoConfigShape,
    ...sealingConfigShape,
    LEASE_MS: z.coerce.number(),
    PER_SECOND: z.coerce.number(),
  }),
  process.env,
);
const log = createLogger({ service: 'rewrapping', level: 'info' });
const mongo = await connectMongo({
  uri: config.MONGODB_URI,
  database: config.MONGODB_DATABASE,
  log,
  collections: [dataKeyCollection],
});
keepDataKeysWrapped({
  store: mongoDataKeyStore(mongo),
  encryption: ringKeyEncryption(config.SEALING_KEYS),
  lease: createLease(mongo, 'rewrapping', config.LEASE_MS),
  log,
  perSecond: config.PER_SECOND,
});
// Until it is killed.
setInterval(() => undefined, 60_000);
