import type { Document } from 'mongodb';
import type { ServiceParts } from '@fairlead/service-kit/lifecycle/start-service';
import { createLease } from '@fairlead/service-kit/mongo/lease';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { mongoDataKeyStore } from './data-keys.ts';
import { openKeyEncryption } from './open-key-encryption.ts';
import { replacementState } from './replacement-state.ts';
import { keepReplacingDataKeys } from './replacing.ts';
import { requireKeysInUse } from './required-keys.ts';
import { keepDataKeysWrapped } from './rewrapping.ts';
import type { SealedCollection } from './sealed-fields.ts';
import type { SealingKeys } from './sealing-keys.ts';
import { createSealer } from './sealing.ts';
import type { Sealer } from './sealing.ts';

/** Longer than a batch takes; after a replica was killed, the next one waits for this time. */
const SEALING_LEASE_MS = 30_000;

/**
 * The sealer of the service's database, whose collections include sealingCollections; `sealed` are the collections with sealed values. In
 * the background, data keys are rewrapped with the current key-encryption key, and replaced when that is requested. Throws a ConfigError if
 * a key that wraps any of them is missing.
 */
export async function openSealing(
  { log, closers }: ServiceParts,
  config: { readonly SEALING_KEYS: SealingKeys },
  mongo: MongoStore,
  sealed: readonly SealedCollection<Document>[],
): Promise<Sealer> {
  const encryption = closers.add('key encryption', await openKeyEncryption(config.SEALING_KEYS, log));
  const store = mongoDataKeyStore(mongo);
  await requireKeysInUse(store, encryption);
  const rewrapping = createLease(mongo, 'rewrapping', SEALING_LEASE_MS);
  closers.add('rewrapping', keepDataKeysWrapped({ store, encryption, lease: rewrapping, log }));
  const state = replacementState(mongo);
  const lease = createLease(mongo, 'replacement', SEALING_LEASE_MS);
  closers.add('replacing', keepReplacingDataKeys({ mongo, store, encryption, sealed, state, lease, log }));
  return createSealer({ encryption, store });
}
