import type { DayCounts } from '@fairlead/service-kit/metering/day-meter';
import { startOf } from '@fairlead/service-kit/metering/day';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { UsageStore } from '../ports/usage-store.ts';
import { usageDayCollection } from './usage-day.collection.ts';

/** Longer than a bulk write of counters takes, but shorter than the grace period of shutdown. */
const WRITE_LIMIT_MS = 5_000;

/** Calls per day in the gateway's database. */
export function usageRepository(store: MongoStore): UsageStore & DayCounts {
  const usageDays = store.collection(usageDayCollection);
  return {
    async add(counts) {
      await usageDays.bulkWrite(
        counts.map(({ accountId, day, count }) => ({
          updateOne: {
            filter: { accountId, day },
            update: { $inc: { callCount: count }, $setOnInsert: { startsAt: startOf(day) } },
            upsert: true,
          },
        })),
        { ordered: false, maxTimeMS: WRITE_LIMIT_MS },
      );
    },
    async countCalls(ctx, accountId, { oldest, newest }) {
      const documents = await usageDays
        .find({ accountId, day: { $gte: oldest, $lte: newest } }, operationOptions(ctx))
        .toArray();
      return new Map(documents.map(({ day, callCount }) => [day, callCount]));
    },
  };
}
