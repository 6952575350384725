import { rateWindowCollection } from '@fairlead/service-kit/limiter/mongo-window-store';
import type { DatabaseSchema } from '@fairlead/service-kit/mongo/schema';
import { executionCollection } from './execution.collection.ts';
import { toolsetCollection } from './toolset.collection.ts';

/** The service's database as this release declares it. */
export const schema: DatabaseSchema = {
  collections: [executionCollection, toolsetCollection, rateWindowCollection],
};
