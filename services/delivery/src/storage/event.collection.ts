import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Binary } from 'mongodb';
import type { DeliveryState } from '../domain/delivery.ts';
import type { EventDelivery } from '../domain/event-delivery.ts';

/** One captured event. */
export interface EventDocument {
  /** Sorts by the time of capture. */
  readonly _id: string;
  readonly accountId: string;
  readonly triggerId: string;
  readonly triggerType: string;
  readonly occurredAt: Date;
  readonly capturedAt: Date;
  readonly body: Binary;
  readonly payloadTruncated: boolean;
  readonly payloadHash: string;
  readonly destinationIds: readonly string[];
  readonly firingKey: string;
  /** With several destinations: the state at each of them, by id. */
  readonly states?: Readonly<Record<string, DeliveryState>>;
  /** What becomes of it, over its destinations. Absent with exactly one: then its delivery says. */
  readonly delivery?: EventDelivery;
  readonly expireAt: Date;
}

/** Reads filter on `expireAt` themselves; the TTL index only cleans up. */
export const eventCollection = defineCollection<EventDocument>({
  name: 'events',
  indexes: [
    { key: { accountId: 1, _id: -1, occurredAt: 1 }, name: 'list' },
    { key: { accountId: 1, triggerId: 1, _id: -1, occurredAt: 1 }, name: 'of_trigger' },
    {
      key: { accountId: 1, delivery: 1, _id: -1, triggerId: 1, occurredAt: 1 },
      name: 'outcomes',
      partialFilterExpression: { delivery: { $exists: true } },
    },
    { key: { expireAt: 1 }, name: 'clear_away', expireAfterSeconds: 0 },
  ],
});
