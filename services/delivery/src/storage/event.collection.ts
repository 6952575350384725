import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Binary } from 'mongodb';
import type { DeliveryState } from '../domain/delivery.ts';
import type { CapturedEvent } from '../domain/event.ts';
import type { EventDelivery } from '../domain/event-delivery.ts';

export interface EventDocument extends Omit<CapturedEvent, 'id' | 'body' | 'traceparent'> {
  /** Sorts by time of capture. */
  readonly _id: string;
  /** Lag class (domain/lag.ts); absent: less than a second. */
  readonly lag?: number;
  readonly body: Binary;
  /** W3C trace context of its capture; absent: not traced. */
  readonly traceparent?: string;
  /** With several destinations: the state at each, by id. */
  readonly states?: Readonly<Record<string, DeliveryState>>;
  /** The event's overall delivery state. Absent with exactly one destination, whose delivery has it. */
  readonly delivery?: EventDelivery;
}

/** Reads skip expired events by the times in their ids; retention.ts deletes them later. */
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
