import type { JsonObject } from '@fairlead/connector-model/model';
import { eraseDocuments, readNewestFirst } from '@fairlead/service-kit/account-data';
import type { AccountData } from '@fairlead/service-kit/account-data';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { triggerCollection } from './trigger.collection.ts';

/** All data of an account that this service stores: triggers. */
export function createAccountData(store: MongoStore): AccountData {
  const triggers = store.collection(triggerCollection);
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
    erase: (ctx, accountId) => eraseDocuments(triggers, ctx, { accountId }),
  };
}
