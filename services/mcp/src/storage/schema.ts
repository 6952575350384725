import type { DatabaseSchema } from '@fairlead/service-kit/mongo/schema';
import { sealingCollections } from '@fairlead/service-kit/sealing/replacement-state';

/** The service's database as this release declares it. */
export const schema: DatabaseSchema = {
  collections: [...sealingCollections],
  migrations: [],
};
