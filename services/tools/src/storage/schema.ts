import type { DatabaseSchema } from '@fairlead/service-kit/mongo/mongo';
import { executionCollection } from './execution.collection.ts';

/** What this release declares of the service's database. */
export const schema: DatabaseSchema = { collections: [executionCollection] };
