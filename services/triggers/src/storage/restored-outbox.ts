import type { Db } from 'mongodb';
import { outboxCollection } from './outbox.collection.ts';
import type { OutboxDocument } from './outbox.collection.ts';

/**
 * After a restore: makes the confirmer ask the ledger again about events confirmed in the last 24 hours, because the ledger may have been
 * restored to an earlier time. Returns the number of groups of events.
 */
export async function recheckConfirmed(db: Db, now: Date): Promise<number> {
  const { modifiedCount } = await db
    .collection<OutboxDocument>(outboxCollection.name)
    .updateMany({ pendingSince: { $exists: false } }, { $set: { pendingSince: now } });
  return modifiedCount;
}
