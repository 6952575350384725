import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { EventCounts } from '../ports/event-counts.ts';
import { eventDayCollection } from './event-day.collection.ts';

/** Captured events per day; the outbox counts them. */
export function createEventDayRepository(store: Pick<MongoStore, 'collection'>): EventCounts {
  const eventDays = store.collection(eventDayCollection);
  return {
    async countByDay(ctx, accountId, { oldest, newest }) {
      const documents = await eventDays
        .find({ accountId, day: { $gte: oldest, $lte: newest } }, operationOptions(ctx))
        .toArray();
      return new Map(documents.map(({ day, eventCount }) => [day, eventCount]));
    },
  };
}
