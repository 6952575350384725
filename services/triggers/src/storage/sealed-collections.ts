import type { Document } from 'mongodb';
import type { SealedCollection } from '@fairlead/sealing/sealed-fields';
import { triggerCollection } from './trigger.collection.ts';
import type { TriggerDocument } from './trigger.collection.ts';
import { webhookCollection } from './webhook.collection.ts';
import type { WebhookDocument } from './webhook.collection.ts';

/** Associated data of a trigger's token. */
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

/** Associated data of a registration's sealed value. */
export function webhookSecretBinding(webhookId: string, name: 'token' | 'secret'): readonly string[] {
  return [webhookCollection.name, webhookId, name];
}

const webhooks: SealedCollection<WebhookDocument> = {
  definition: webhookCollection,
  members: ['accountId'],
  fields: (['token', 'secret'] as const).map((path) => ({
    path,
    scopesOf: ({ accountId }) => [accountId],
    bindingOf: ({ _id }) => webhookSecretBinding(_id, path),
  })),
};

/** Every sealed value of the service. */
export const sealedCollections: readonly SealedCollection<Document>[] = [triggers, webhooks];
