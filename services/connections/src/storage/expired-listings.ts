import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { ExpiredListings } from '../ports/expired-listings.ts';
import type { ConnectionCounts } from './connection-counts.ts';
import { listedTooLong } from './connection-listing.ts';
import { connectionCollection, EXPIRED_INDEX } from './connection.collection.ts';
import { HAS_DATE } from './listing.ts';

/** Maximum number of connections per transaction. */
const BATCH = 500;

/** The expired listings in MongoDB. */
export function createExpiredListings(
  store: MongoStore,
  counts: Pick<ConnectionCounts, 'add' | 'areComplete'>,
): ExpiredListings {
  const connections = store.collection(connectionCollection);
  return {
    async block(ctx, accountId, now) {
      const late = listedTooLong(accountId, now);
      if ((await connections.findOne(late, { ...operationOptions(ctx), projection: { _id: 1 } })) === null)
        return true;
      return await store.withTransaction(async (session) => {
        const options = { ...operationOptions(ctx), session };
        const found = await connections
          .find(late, {
            ...options,
            projection: { accountId: 1, applicationSlug: 1, kind: 1, listedStatus: 1 },
          })
          .limit(BATCH + 1)
          .toArray();
        const blocked = found.slice(0, BATCH);
        const ids = blocked.map(({ _id }) => _id);
        const listing = { listedStatus: 'Blocked', blocksAt: null } as const;
        await connections.updateMany({ accountId, _id: { $in: ids } }, { $set: listing }, options);
        const writes = blocked.map((former) => ({ former, present: { ...former, ...listing } }));
        await counts.add(session, writes);
        return found.length <= BATCH;
      });
    },

    async findAccount(ctx, now) {
      if (!(await counts.areComplete(ctx))) return undefined;
      // Called by the platform itself, so no account is named.
      const late = { blocksAt: { ...HAS_DATE, $lte: now } };
      const options = { projection: { _id: 0, accountId: 1 }, hint: EXPIRED_INDEX };
      return (
        await connections.findOne(late, { ...operationOptions(ctx), ...options, sort: { blocksAt: 1 } })
      )?.accountId;
    },
  };
}
