import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Delivery } from '../domain/delivery.ts';

/** The delivery of one event to one destination. */
export interface DeliveryDocument extends Delivery {
  /** `<event id>:<destination id>`: sorts by the time of capture. */
  readonly _id: string;
  readonly triggerId: string;
  readonly occurredAt: Date;
  /** The lag of its event; absent if the event has none. */
  readonly lag?: number;
}

/** The index that open attempts are claimed by, and ended. It holds open work only, so that history does not slow claims down. */
export const DUE_INDEX = 'due_attempts';

/** Documents are cleared away by ranges of their ids (retention.ts): an index of their expiry would be written with each of them. */
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
