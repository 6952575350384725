import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { keptSince } from '../domain/event.ts';
import { deliveryCollection } from './delivery.collection.ts';
import { firstEventId } from './event-selection.ts';
import { eventCollection } from './event.collection.ts';

/** Documents of a kind that one write removes. */
const AT_ONCE = 1_000;

/** Clears away what reads leave out already. */
export interface Retention {
  /** The time by the database: one for all replicas, whatever their clocks say. */
  now(): Promise<Date>;
  /** Removes some events that are too old at `now`, with their deliveries; true: there may be more. */
  removeSome(now: Date): Promise<boolean>;
}

/** The retention of events in a store. The ids of events, and of their deliveries, sort by the time of capture. `atOnce` is for tests. */
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
      return localTime as Date; // by the documentation of the command
    },
    async removeSome(now) {
      const end = firstEventId(keptSince(now));
      const left = [await removeOldest(deliveries, end), await removeOldest(events, end)];
      return left.includes(true);
    },
  };
}
