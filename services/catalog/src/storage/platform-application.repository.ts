import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { PlatformApplicationTimes, PlatformStore } from '../ports/platform-store.ts';
import { platformApplicationCollection } from './platform-application.collection.ts';

/** Platform applications' times in Mongo: the same for every replica, whichever writes first. */
export function createPlatformApplicationRepository(store: MongoStore): PlatformStore {
  const collection = store.collection(platformApplicationCollection);
  return {
    async recordAll(hashes, now) {
      if (hashes.size === 0) return new Map();
      await collection.bulkWrite(
        [...hashes].map(([slug, contentHash]) => ({
          updateOne: {
            filter: { _id: slug },
            // A pipeline sees the stored values: one atomic step decides between new, changed and unchanged.
            update: [
              {
                $set: {
                  contentHash,
                  firstSeenAt: { $ifNull: ['$firstSeenAt', now] },
                  changedAt: { $cond: [{ $eq: ['$contentHash', contentHash] }, '$changedAt', now] },
                },
              },
            ],
            upsert: true,
          },
        })),
        { ordered: false },
      );
      const found = await collection.find({ _id: { $in: [...hashes.keys()] } }).toArray();
      return new Map(
        found.map(({ _id, firstSeenAt, changedAt }): [string, PlatformApplicationTimes] => [
          _id,
          { createdAt: firstSeenAt, updatedAt: changedAt },
        ]),
      );
    },
  };
}
