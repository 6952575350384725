import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { PlatformApplicationTimes, PlatformStore } from '../ports/platform-store.ts';
import { platformApplicationCollection } from './platform-application.collection.ts';

/** Times of platform applications in Mongo: every replica gets the same times, whichever writes first. */
export function createPlatformApplicationRepository(store: MongoStore): PlatformStore {
  const collection = store.collection(platformApplicationCollection);
  return {
    async recordAll(hashes, now) {
      if (hashes.size === 0) return new Map();
      await collection.bulkWrite(
        [...hashes].map(([slug, contentHash]) => ({
          updateOne: {
            filter: { _id: slug },
            // An update pipeline sees the stored values, so one atomic step distinguishes new, changed and unchanged.
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
