import type { Migration } from '@fairlead/service-kit/mongo/schema';
import type { Db } from 'mongodb';
import { completeCounts, recount } from './connection-counts.ts';
import { listingOf } from './connection-listing.ts';
import type { ConnectionDocument } from './connection.collection.ts';
import { connectionCollection } from './connection.collection.ts';

const BATCH = 1_000;

/** A database without connections counts from its first one. */
export const countFromTheFirst: Migration = {
  id: '2026-11-22-count-connections-from-the-first',
  async up(db) {
    const written = await db.collection<{ _id: string }>('_sequences').findOne({ _id: 'connections' });
    if (written === null) await completeCounts(db);
  },
};

/**
 * Counts the connections of a database written by an earlier release. Until then, lists read everything that they count, because processes
 * of that release may still write connections without counting them.
 */
export const countThoseOfEarlierReleases: Migration = {
  id: '2026-11-22-count-connections',
  phase: 'contract',
  async up(db) {
    await storeListings(db);
    const accounts = db
      .collection<ConnectionDocument>(connectionCollection.name)
      .aggregate<{ _id: string }>([{ $group: { _id: '$accountId' } }]);
    for await (const { _id: accountId } of accounts) await recount(db, accountId);
    await completeCounts(db);
  },
};

/** Stores the listing of each connection. After a restart, stored listings are not written again. */
async function storeListings(db: Db): Promise<void> {
  const connections = db.collection<ConnectionDocument>(connectionCollection.name);
  const now = new Date();
  const storeBatch = async (batch: readonly ConnectionDocument[]): Promise<void> => {
    const updates = batch.flatMap(({ _id, licence, needsReauthentication, listedStatus, blocksAt }) => {
      const listing = listingOf({ licence, needsReauthentication }, now);
      if (listing.listedStatus === listedStatus && listing.blocksAt?.getTime() === blocksAt?.getTime())
        return [];
      // Matches only the values that were read; a writer who changes one of them stores the listing itself.
      const asRead = {
        _id,
        'licence.status': licence.status,
        'licence.expiresAt': licence.expiresAt,
        needsReauthentication,
      };
      return [{ updateOne: { filter: asRead, update: { $set: listing } } }];
    });
    if (updates.length > 0) await connections.bulkWrite(updates, { ordered: false });
  };
  let batch: ConnectionDocument[] = [];
  for await (const document of connections.find().sort({ _id: 1 })) {
    batch.push(document);
    if (batch.length < BATCH) continue;
    await storeBatch(batch);
    batch = [];
  }
  await storeBatch(batch);
}
