import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Delivery } from '../domain/delivery.ts';

/** A delivery document: one event, one destination. */
export interface DeliveryDocument extends Delivery {
  /** `<event id>:<destination id>`; sorts by time of capture. */
  readonly _id: string;
  readonly triggerId: string;
  readonly occurredAt: Date;
  /** Lag class of its event; absent if the event has none. */
  readonly lag?: number;
}

/** The index for claiming and ending open attempts. It contains open ones only, so that old deliveries do not slow claims down. */
export const DUE_INDEX = 'due_attempts';

/** Retention deletes by ranges of ids (retention.ts), because an index of expiry times would slow every write. */
export const deliveryCollection = defineCollection<DeliveryDocument>({
  name: 'deliveries',
  indexes: [
    {
      key: { 'open.queue': 1, 'open.destinationId': 1, 'open.at': 1, capturedAt: 1 },
      name: DUE_INDEX,
      partialFilterExpression: { 'open.destinationId': { $gt: '' } },
    },
    {
      key: { accountId: 1, destinationId: 1, eventId: -1, triggerId: 1, occurredAt: 1 },
      name: 'of_destination',
    },
    {
      key: { accountId: 1, isOnly: 1, state: 1, eventId: -1, triggerId: 1, destinationId: 1, occurredAt: 1 },
      name: 'outcomes',
    },
    {
      key: {
        accountId: 1,
        lag: 1,
        eventId: -1,
        occurredAt: 1,
        triggerId: 1,
        destinationId: 1,
        isOnly: 1,
        state: 1,
      },
      name: 'lagged',
      partialFilterExpression: { lag: { $exists: true } },
    },
  ],
});
