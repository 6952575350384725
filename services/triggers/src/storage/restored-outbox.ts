import type { Db } from 'mongodb';
import { outboxCollection } from './outbox.collection.ts';
import type { OutboxDocument } from './outbox.collection.ts';

/**
 * After a restore: has the ledger asked once more for the events that it had confirmed in the last 24 hours, because it may be of an
 * earlier moment. Returns the number of groups of events.
 */
export async function recheckConfirmed(db: Db, now: Date): Promise<number> {
  const { modifiedCount } = await db
    .collection<OutboxDocument>(outboxCollection.name)
    .updateMany({ pendingSince: { $exists: false } }, { $set: { pendingSince: now } });
  return modifiedCount;
}
