import { eraseDocuments, readNewestFirst } from '@fairlead/service-kit/account-data';
import type { AccountData } from '@fairlead/service-kit/account-data';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { outboxCollection } from './outbox.collection.ts';
import type { Sealer } from '@fairlead/service-kit/sealing/sealing';
import { triggerCollection } from './trigger.collection.ts';
import { plainTrigger } from './trigger.repository.ts';

/**
 * All data of an account that this service stores: triggers, and captured events, which are exported by the service that
 * delivers them. The tokens of the triggers' addresses are not exported.
 */
export function createAccountData(store: MongoStore, sealer: Pick<Sealer, 'shred'>): AccountData {
  const triggers = store.collection(triggerCollection);
  const outbox = store.collection(outboxCollection);
  return {
    exports: [
      {
        collection: 'triggers',
        async *read(ctx, accountId, after) {
          for await (const { position, document } of readNewestFirst(triggers, ctx, accountId, after)) {
            const { hookToken: _secret, generation: _internal, ...record } = plainTrigger(document);
            yield { position, record };
          }
        },
      },
    ],
    async erase(ctx, accountId) {
      await sealer.shred(accountId);
      // No trigger fires any more when the events go.
      return (
        (await eraseDocuments(triggers, ctx, { accountId })) &&
        (await eraseDocuments(outbox, ctx, { accountId }))
      );
    },
  };
}
