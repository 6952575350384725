import type { Document } from 'mongodb';
import type { SealedCollection } from '@fairlead/service-kit/sealing/sealed-fields';
import { triggerCollection } from './trigger.collection.ts';
import type { TriggerDocument } from './trigger.collection.ts';

/** The place of a trigger's token. */
export function hookTokenBinding(triggerId: string): readonly string[] {
  return [triggerCollection.name, triggerId, 'hook.token'];
}

const triggers: SealedCollection<TriggerDocument> = {
  definition: triggerCollection,
  members: ['accountId'],
  fields: [
    {
      path: 'hook.token',
      scopesOf: ({ accountId }) => [accountId],
      bindingOf: ({ _id }) => hookTokenBinding(_id),
    },
  ],
};

/** Every sealed value of the service. */
export const sealedCollections: readonly SealedCollection<Document>[] = [triggers];
