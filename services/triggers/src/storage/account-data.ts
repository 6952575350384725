import type { JsonObject } from '@fairlead/connector-model/model';
import { eraseDocuments, readNewestFirst } from '@fairlead/service-kit/account-data';
import type { AccountData } from '@fairlead/service-kit/account-data';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { outboxCollection } from './outbox.collection.ts';
import { triggerCollection } from './trigger.collection.ts';

/**
 * All data of an account that this service stores: triggers, and captured events, which are exported by the service that
 * delivers them.
 */
export function createAccountData(store: MongoStore): AccountData {
  const triggers = store.collection(triggerCollection);
  const outbox = store.collection(outboxCollection);
  return {
    exports: [
      {
        collection: 'triggers',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(triggers, ctx, accountId, after)) {
            const { _id: id, accountId: _account, configuration, ...same } = document;
            // It was written from an object.
            yield {
              position,
              record: { id, ...same, configuration: JSON.parse(configuration) as JsonObject },
            };
          }
        },
      },
    ],
    // No trigger fires any more when the events go.
    erase: async (ctx, accountId) =>
      (await eraseDocuments(triggers, ctx, { accountId })) &&
      (await eraseDocuments(outbox, ctx, { accountId })),
  };
}
