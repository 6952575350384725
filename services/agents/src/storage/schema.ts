import { creationLockCollection } from '@fairlead/service-kit/mongo/creation-locks';
import type { DatabaseSchema } from '@fairlead/service-kit/mongo/schema';
import { sealingCollections } from '@fairlead/sealing/replacement-state';
import { agentCollection } from './agent.collection.ts';
import { taskCollection } from './task.collection.ts';

/** The service's database as this release declares it. */
export const schema: DatabaseSchema = {
  collections: [agentCollection, taskCollection, creationLockCollection, ...sealingCollections],
  migrations: [],
};
