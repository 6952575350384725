import { creationLockCollection } from '@fairlead/service-kit/mongo/creation-locks';
import type { DatabaseSchema } from '@fairlead/service-kit/mongo/schema';
import { sealingCollections } from '@fairlead/sealing/replacement-state';
import { defaultServerCollection } from './default-server.collection.ts';
import { mcpServerCollection } from './mcp-server.collection.ts';
import { servedDefinitionCollection } from './served-definition.collection.ts';
import { upstreamListsCollection } from './upstream-lists.collection.ts';

/** The service's database as this release declares it. */
export const schema: DatabaseSchema = {
  collections: [
    mcpServerCollection,
    defaultServerCollection,
    servedDefinitionCollection,
    upstreamListsCollection,
    creationLockCollection,
    ...sealingCollections,
  ],
  migrations: [],
};
