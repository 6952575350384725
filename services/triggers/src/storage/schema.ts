import type { DatabaseSchema } from '@fairlead/service-kit/mongo/schema';
import { sealingCollections } from '@fairlead/service-kit/sealing/replacement-state';
import { outboxCollection } from './outbox.collection.ts';
import { triggerCollection } from './trigger.collection.ts';

/** The service's database as this release declares it. */
export const schema: DatabaseSchema = {
  collections: [triggerCollection, outboxCollection, ...sealingCollections],
};
