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
  /** The class of the time between the two (domain/lag.ts); absent: less than a second. */
  readonly lag?: number;
  readonly body: Binary;
  readonly payloadTruncated: boolean;
  readonly payloadHash: string;
  readonly destinationIds: readonly string[];
  readonly firingKey: string;
  /** The W3C trace context of its capture; absent: it was not traced. */
  readonly traceparent?: string;
  /** With several destinations: the state at each of them, by id. */
  readonly states?: Readonly<Record<string, DeliveryState>>;
  /** What becomes of it, over its destinations. Absent with exactly one: then its delivery says. */
  readonly delivery?: EventDelivery;
}

/** Reads leave out what is too old by the times in ids; what clears it away (retention.ts) comes later. */
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
    {
      key: { accountId: 1, lag: 1, _id: -1, occurredAt: 1, triggerId: 1, delivery: 1 },
      name: 'lagged',
      partialFilterExpression: { lag: { $exists: true } },
    },
  ],
});
