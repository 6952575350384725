import { firstPrefixedId } from '@fairlead/service-kit/ids';
import type { Filter } from 'mongodb';
import type { EventSelection } from '../ports/event-store.ts';
import type { DeliveryDocument } from './delivery.collection.ts';
import type { EventDocument } from './event.collection.ts';

/** Events of one collection: in its index, the ids of those that are selected are in their order. */
export type SelectedRows =
  | {
      readonly collection: 'events';
      readonly query: Filter<EventDocument>;
      readonly hint: 'list' | 'of_trigger' | 'outcomes';
    }
  | {
      readonly collection: 'deliveries';
      readonly query: Filter<DeliveryDocument>;
      readonly hint: 'of_destination' | 'outcomes';
    };

const PREFIX = 'te';
const DAY_MS = 24 * 60 * 60 * 1000;

/** The smallest id of an event that is captured at `time`. */
export function firstEventId(time: Date): string {
  return firstPrefixedId(PREFIX, time);
}

/**
 * Where the selected events of an account are. With exactly one destination, what has become of an event is in its delivery,
 * otherwise in the event itself, so a selection by that has two parts, which have no event in common.
 */
export function selectEvents(accountId: string, selection: EventSelection): readonly SelectedRows[] {
  const { triggerId, destinationId, delivery } = selection.filter;
  const ofTrigger = triggerId === undefined ? {} : { triggerId };
  const occurred = occurredIn(selection);
  const ids = idsOf(selection);
  if (delivery !== undefined) {
    const ofDestination = destinationId === undefined ? {} : { destinationIds: destinationId };
    const events: SelectedRows = {
      collection: 'events',
      query: { accountId, delivery, _id: ids, ...ofTrigger, ...ofDestination, ...occurred },
      hint: 'outcomes',
    };
    if (delivery === 'none') return [events];
    const ofOne = destinationId === undefined ? {} : { destinationId };
    const query = {
      accountId,
      isOnly: true,
      state: delivery,
      eventId: ids,
      ...ofTrigger,
      ...ofOne,
      ...occurred,
    };
    return [{ collection: 'deliveries', query, hint: 'outcomes' }, events];
  }
  if (destinationId !== undefined) {
    const query = { accountId, destinationId, eventId: ids, ...ofTrigger, ...occurred };
    return [{ collection: 'deliveries', query, hint: 'of_destination' }];
  }
  const hint = triggerId === undefined ? 'list' : 'of_trigger';
  return [{ collection: 'events', query: { accountId, _id: ids, ...ofTrigger, ...occurred }, hint }];
}

/** The ids of the selected events lie in this range. */
function idsOf({ filter: { from }, since, after }: EventSelection) {
  // The clock of an event's source may be ahead of ours, so that it is captured before it occurred; by less than a day.
  const earliest = from === undefined ? since : new Date(Math.max(since.getTime(), from.getTime() - DAY_MS));
  return { $gte: firstEventId(earliest), ...(after !== undefined && { $lt: after }) };
}

function occurredIn({ filter: { from, to } }: EventSelection) {
  if (from === undefined && to === undefined) return {};
  return { occurredAt: { ...(from && { $gte: from }), ...(to && { $lt: to }) } };
}
