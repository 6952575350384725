import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { mongoDataKeyStore } from '@fairlead/sealing/data-keys';
import { ringKeyEncryption } from '@fairlead/sealing/ring-key-encryption';
import { createSealer } from '@fairlead/sealing/sealing';
import type { Sealer } from '@fairlead/sealing/sealing';

/** A sealer with data keys in the store. */
export function testSealer(store: MongoStore): Sealer {
  const encryption = ringKeyEncryption(parseKeyRing(`v1:${Buffer.alloc(32, 5).toString('base64')}`));
  return createSealer({ encryption, store: mongoDataKeyStore(store) });
}
