import { eraseDocuments, readNewestFirst } from '@fairlead/service-kit/account-data';
import type { AccountData } from '@fairlead/service-kit/account-data';
import { changeCollection } from '@fairlead/service-kit/changes/change.collection';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import { creationLockCollection } from '@fairlead/service-kit/mongo/creation-locks';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Sealer } from '@fairlead/sealing/sealing';
import type { ErasedWebhooks } from './ended-webhooks.ts';
import { eventDayCollection } from './event-day.collection.ts';
import { outboxCollection } from './outbox.collection.ts';
import { pendingChangeCollection } from './pending-change.collection.ts';
import { triggerCollection } from './trigger.collection.ts';
import { plainTrigger } from './trigger.repository.ts';

/**
 * All data of an account that this service stores: triggers, connection changes that have not fired for all triggers, counts of events by
 * day, and captured events, which the delivery service exports. Not exported: the tokens of triggers' addresses, and registrations at
 * vendors, which an erasure removes at the vendors.
 */
export function createAccountData(
  store: MongoStore,
  sealer: Pick<Sealer, 'shred'>,
  registrations: ErasedWebhooks,
): AccountData {
  const triggers = store.collection(triggerCollection);
  const outbox = store.collection(outboxCollection);
  const eventDays = store.collection(eventDayCollection);
  const changes = store.collection(changeCollection);
  const pending = store.collection(pendingChangeCollection);
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
      {
        collection: 'eventUsage',
        async *read(ctx, accountId, after) {
          const filter = { accountId, ...(after === undefined ? {} : { day: { $lt: after } }) };
          for await (const { day, eventCount } of eventDays
            .find(filter, operationOptions(ctx))
            .sort({ day: -1 }))
            yield { position: day, record: { date: day, events: eventCount } };
        },
      },
    ],
    async erase(ctx, accountId) {
      // Events after triggers, so that no trigger fires in between.
      if (!(await eraseDocuments(triggers, ctx, { accountId }))) return false;
      // Before the data key goes: removing registrations at vendors needs sealed values.
      if (!(await registrations.end(ctx, accountId))) return false;
      await sealer.shred(accountId);
      return (
        (await eraseDocuments(pending, ctx, { accountId })) &&
        // Before the counts by day, to which the outbox adds while it has events of the account.
        (await eraseDocuments(outbox, ctx, { accountId })) &&
        (await eraseDocuments(eventDays, ctx, { accountId })) &&
        (await eraseDocuments(changes, ctx, { accountId })) &&
        (await eraseDocuments(store.collection(creationLockCollection), ctx, { accountId }))
      );
    },
  };
}
