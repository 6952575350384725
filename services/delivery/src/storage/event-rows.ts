import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CountOptions } from '@fairlead/service-kit/counts/row-counts';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { deliveryCollection } from './delivery.collection.ts';
import { selectRows } from './event-selection.ts';
import type { EventPart, Place } from './event-selection.ts';
import { eventCollection } from './event.collection.ts';

/** The newest event first. */
export const NEWEST_FIRST = { direction: -1, precedes: (a: string, b: string) => a > b } as const;
/** The oldest event first. */
export const OLDEST_FIRST = { direction: 1, precedes: (a: string, b: string) => a < b } as const;
/** The order of ids in a list. */
export type Order = typeof NEWEST_FIRST | typeof OLDEST_FIRST;

/** Some rows of a part. */
export interface Rows {
  readonly part: EventPart;
  readonly place: Place;
  readonly order: Order;
  /** Default: all. */
  readonly limit?: number;
}

/** Rows of an account, read by the keys of indexes. */
export interface EventRows {
  /** The ids of their events, in order. */
  ids(ctx: RequestContext, accountId: string, rows: Rows): AsyncGenerator<string>;
  /** How many there are; reads each of them. */
  count(options: CountOptions, accountId: string, part: EventPart, place: Place): Promise<number>;
}

/** The rows of events and their deliveries in MongoDB. */
export function createEventRows(store: Pick<MongoStore, 'collection'>): EventRows {
  const events = store.collection(eventCollection);
  const deliveries = store.collection(deliveryCollection);
  return {
    async *ids(ctx, accountId, { part, place, order, limit = 0 }) {
      const { collection, query, hint } = selectRows(accountId, part, place);
      const options = { ...operationOptions(ctx), hint };
      yield* collection === 'events'
        ? events
            .find(query, { ...options, projection: { _id: 1 } })
            .sort({ _id: order.direction })
            .limit(limit)
            .map(({ _id }) => _id)
        : deliveries
            .find(query, { ...options, projection: { _id: 0, eventId: 1 } })
            .sort({ eventId: order.direction })
            .limit(limit)
            .map(({ eventId }) => eventId);
    },

    count(options, accountId, part, place) {
      const { collection, query, hint } = selectRows(accountId, part, place);
      return collection === 'events'
        ? events.countDocuments(query, { ...options, hint })
        : deliveries.countDocuments(query, { ...options, hint });
    },
  };
}
