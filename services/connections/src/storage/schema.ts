import { changeCollection } from '@fairlead/service-kit/changes/change.collection';
import type { DatabaseSchema } from '@fairlead/service-kit/mongo/mongo';
import { dataKeyCollection } from '@fairlead/service-kit/sealing/sealing';
import { connectionCollection } from './connection.collection.ts';
import { signInCollection } from './sign-in.collection.ts';

/** What this release declares of the service's database. */
export const schema: DatabaseSchema = {
  collections: [connectionCollection, signInCollection, dataKeyCollection, changeCollection],
};
