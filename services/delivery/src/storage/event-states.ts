import type { ClientSession, Collection, Document } from 'mongodb';
import type { DeliveryState } from '../domain/delivery.ts';
import { BY_WEIGHT } from '../domain/event-delivery.ts';
import type { EventDocument } from './event.collection.ts';

/** Updates the state of an event with several destinations, in the transaction that changes one of its deliveries. */
export async function recordState(
  events: Collection<EventDocument>,
  session: ClientSession,
  { accountId, eventId, destinationId }: { accountId: string; eventId: string; destinationId: string },
  state: DeliveryState,
): Promise<void> {
  const states = { $map: { input: { $objectToArray: '$states' }, in: '$$this.v' } };
  await events.updateOne(
    { accountId, _id: eventId },
    [{ $set: { [`states.${destinationId}`]: state } }, { $set: { delivery: heaviest(states) } }],
    { session },
  );
}

function heaviest(states: Document): Document {
  return BY_WEIGHT.reduceRight<Document | string>(
    (lighter, state) => ({ $cond: [{ $in: [state, states] }, state, lighter] }),
    'delivered',
  ) as Document; // There is at least one state.
}
