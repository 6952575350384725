import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Binary } from 'mongodb';
import type { DeliveryState } from '../domain/delivery.ts';
import type { CapturedEvent } from '../domain/event.ts';
import type { EventDelivery } from '../domain/event-delivery.ts';

/** One captured event. */
export interface EventDocument extends Omit<CapturedEvent, 'id' | 'body' | 'traceparent'> {
  /** Sorts by the time of capture. */
  readonly _id: string;
  /** The class of the time between firing and capture (domain/lag.ts); absent: less than a second. */
  readonly lag?: number;
  readonly body: Binary;
  /** The W3C trace context of its capture; absent: it was not traced. */
  readonly traceparent?: string;
  /** With several destinations: the state at each of them, by id. */
  readonly states?: Readonly<Record<string, DeliveryState>>;
  /** Its delivery state over all of its destinations. Absent with exactly one: its delivery has it. */
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
