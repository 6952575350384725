import { z } from 'zod';
import { loadConfig, mongoConfigShape } from '@fairlead/service-kit/config';
import { sealingConfigShape } from '../config.ts';
import { createLease } from '@fairlead/service-kit/mongo/lease';
import { connectMongo } from '@fairlead/service-kit/mongo/mongo';
import { mongoDataKeyStore } from '../data-keys.ts';
import { replacementState, sealingCollections } from '../replacement-state.ts';
import { keepReplacingDataKeys } from '../replacing.ts';
import { keepDataKeysWrapped } from '../rewrapping.ts';
import { openKeyEncryption } from '../open-key-encryption.ts';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { sealedThings, thingCollection } from './sealed-things.ts';

// A process that rewraps and replaces data keys, slowly, for tests that kill it.
const config = loadConfig(
  z.object({
    ...mongoConfigShape,
    ...sealingConfigShape,
    LEASE_MS: z.coerce.number(),
    PER_SECOND: z.coerce.number(),
  }),
  process.env,
);
const log = createLogger({ service: 'sealing', level: 'info' });
const mongo = await connectMongo({
  uri: config.MONGODB_URI,
  database: config.MONGODB_DATABASE,
  log,
  collections: [...sealingCollections, thingCollection],
});
const shared = {
  store: mongoDataKeyStore(mongo),
  encryption: await openKeyEncryption(config.SEALING_KEYS, log),
  log,
  perSecond: config.PER_SECOND,
};
keepDataKeysWrapped({ ...shared, lease: createLease(mongo, 'rewrapping', config.LEASE_MS) });
keepReplacingDataKeys({
  ...shared,
  mongo,
  state: replacementState(mongo),
  sealed: sealedThings,
  lease: createLease(mongo, 'replacement', config.LEASE_MS),
  everyMs: 50,
  settleMs: 50,
  graceMs: 50,
});
// Runs until it is killed.
setInterval(() => undefined, 60_000);
