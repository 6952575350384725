import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Delivery } from '../domain/delivery.ts';

/** The delivery of one event to one destination. */
export interface DeliveryDocument extends Delivery {
  /** `<event id>:<destination id>` */
  readonly _id: string;
  readonly triggerId: string;
  readonly occurredAt: Date;
  readonly expireAt: Date;
}

/** The index that open attempts are claimed by. It holds open work only, so that history does not slow claims down. */
export const DUE_INDEX = 'due_by_queue';

/** The index that open deliveries are ended by, when their destination is deleted or enabled again. */
export const OPEN_INDEX = 'open_of_destination';

/** Reads filter on `expireAt` themselves; the TTL index only cleans up. */
export const deliveryCollection = defineCollection<DeliveryDocument>({
  name: 'deliveries',
  indexes: [
    {
      key: { 'open.queue': 1, 'open.destinationId': 1, 'open.at': 1 },
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
      key: { 'open.destinationId': 1, capturedAt: 1 },
      name: OPEN_INDEX,
      partialFilterExpression: { 'open.destinationId': { $gt: '' } },
    },
    { key: { expireAt: 1 }, name: 'clear_away', expireAfterSeconds: 0 },
  ],
});
