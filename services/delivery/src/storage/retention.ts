import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { keptSince } from '../domain/event.ts';
import { deliveryCollection } from './delivery.collection.ts';
import { firstEventId } from './event-selection.ts';
import { eventCollection } from './event.collection.ts';

/** Documents of one kind removed per write. */
const AT_ONCE = 1_000;

/** Deletes events that reads already skip. */
export interface Retention {
  /** The database's time, the same for all replicas. */
  now(): Promise<Date>;
  /** Removes some events that are expired at `now`, with their deliveries; true: there may be more. */
  removeSome(now: Date): Promise<boolean>;
}

/** The retention of events in a store. Ids of events and deliveries sort by time of capture. `atOnce` is for tests. */
export function createRetention(store: MongoStore, { atOnce = AT_ONCE } = {}): Retention {
  const events = store.collection(eventCollection);
  const deliveries = store.collection(deliveryCollection);

  async function removeOldest(
    collection: Pick<typeof events | typeof deliveries, 'find' | 'deleteMany'>,
    end: string,
  ): Promise<boolean> {
    const old = { _id: { $lt: end } };
    const next = await collection
      .find(old, { projection: { _id: 1 }, hint: '_id_' })
      .sort({ _id: 1 })
      .skip(atOnce)
      .limit(1)
      .next();
    await collection.deleteMany(next === null ? old : { _id: { $lt: next._id } });
    return next !== null;
  }

  return {
    async now() {
      const { localTime } = await store.db.command({ hello: 1 });
      return localTime as Date; // According to the documentation of the command.
    },
    async removeSome(now) {
      const end = firstEventId(keptSince(now));
      const left = [await removeOldest(deliveries, end), await removeOldest(events, end)];
      return left.includes(true);
    },
  };
}
