import type { DatabaseSchema } from '@fairlead/service-kit/mongo/schema';
import { accountApplicationCollection } from './account-application.collection.ts';
import { accountRevisionCollection } from './account-revision.collection.ts';
import { platformApplicationCollection } from './platform-application.collection.ts';

/** The service's database as this release declares it. */
export const schema: DatabaseSchema = {
  collections: [platformApplicationCollection, accountApplicationCollection, accountRevisionCollection],
};
