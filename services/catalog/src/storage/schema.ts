import type { DatabaseSchema } from '@fairlead/service-kit/mongo/mongo';
import { accountApplicationCollection } from './account-application.collection.ts';
import { accountRevisionCollection } from './account-revision.collection.ts';
import { platformApplicationCollection } from './platform-application.collection.ts';

/** What this release declares of the service's database. */
export const schema: DatabaseSchema = {
  collections: [platformApplicationCollection, accountApplicationCollection, accountRevisionCollection],
};
