import { changeCollection } from '@fairlead/service-kit/changes/change.collection';
import { creationLockCollection } from '@fairlead/service-kit/mongo/creation-locks';
import type { DatabaseSchema } from '@fairlead/service-kit/mongo/schema';
import { sealingCollections } from '@fairlead/sealing/replacement-state';
import { deliveryCollection } from './delivery.collection.ts';
import { destinationCollection } from './destination.collection.ts';
import {
  eventCheckpointCollection,
  eventCountStateCollection,
  eventRowCheckpointCollection,
  eventRowCountStateCollection,
} from './event-checkpoint.collection.ts';
import { eventCollection } from './event.collection.ts';
import { replayCollection } from './replay.collection.ts';

/** The service's database as this release declares it. */
export const schema: DatabaseSchema = {
  collections: [
    destinationCollection,
    eventCollection,
    deliveryCollection,
    replayCollection,
    eventCheckpointCollection,
    eventCountStateCollection,
    eventRowCheckpointCollection,
    eventRowCountStateCollection,
    creationLockCollection,
    ...sealingCollections,
    changeCollection,
  ],
  migrations: [],
};
