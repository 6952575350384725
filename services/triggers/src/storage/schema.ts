import { changeCollection } from '@fairlead/service-kit/changes/change.collection';
import { creationLockCollection } from '@fairlead/service-kit/mongo/creation-locks';
import type { DatabaseSchema } from '@fairlead/service-kit/mongo/schema';
import { sealingCollections } from '@fairlead/sealing/replacement-state';
import { changeCursorCollection } from './change-cursor.collection.ts';
import { eventDayCollection } from './event-day.collection.ts';
import { outboxCollection } from './outbox.collection.ts';
import { pendingChangeCollection } from './pending-change.collection.ts';
import { triggerCollection } from './trigger.collection.ts';
import { webhookCollection } from './webhook.collection.ts';

/** The service's database as this release declares it. */
export const schema: DatabaseSchema = {
  collections: [
    triggerCollection,
    outboxCollection,
    eventDayCollection,
    pendingChangeCollection,
    webhookCollection,
    changeCursorCollection,
    creationLockCollection,
    changeCollection,
    ...sealingCollections,
  ],
};
