import type { AccountData } from '@fairlead/service-kit/account-data';
import { eraseDocuments } from '@fairlead/service-kit/account-data';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { usageDayCollection } from './usage-day.collection.ts';

/** Account data of the usage module: calls per day. */
export function usageData(store: MongoStore): AccountData {
  const usageDays = store.collection(usageDayCollection);
  return {
    exports: [
      {
        collection: 'usage',
        async *read(ctx, accountId, after) {
          const filter = { accountId, ...(after === undefined ? {} : { day: { $lt: after } }) };
          for await (const { day, callCount } of usageDays
            .find(filter, operationOptions(ctx))
            .sort({ day: -1 }))
            yield { position: day, record: { date: day, calls: callCount } };
        },
      },
    ],
    erase: (ctx, accountId) => eraseDocuments(usageDays, ctx, { accountId }),
  };
}
