import { firstPrefixedId } from '@fairlead/service-kit/ids';
import type { IdRange } from '@fairlead/counts/row-counts';
import type { Filter } from 'mongodb';
import type { EventDelivery } from '../domain/event-delivery.ts';
import type { EventSelection } from '../ports/event-store.ts';
import type { DeliveryDocument } from './delivery.collection.ts';
import type { EventDocument } from './event.collection.ts';

/**
 * A part of the selected events: all of the account or of a trigger, those of a destination, or those in a delivery state. For events with
 * exactly one destination, the delivery has the state (`single`), otherwise the event (`several`).
 */
export interface EventPart {
  readonly from: 'events' | 'ofDestination' | 'single' | 'several';
  readonly triggerId?: string | undefined;
  readonly destinationId?: string | undefined;
  /** Alternatives (any of these), for parts that are selected by it. */
  readonly deliveries?: readonly EventDelivery[];
  readonly occurredAt?: { readonly $gte?: Date; readonly $lt?: Date } | undefined;
}

/** A part without its period: checkpoints count these. */
export interface CountedPart extends EventPart {
  readonly occurredAt?: undefined;
}

/** Removes the period from a part. */
export function wheneverOf({ occurredAt: _period, ...part }: EventPart): CountedPart {
  return part;
}

/** Events in any of these parts. */
export type Condition = readonly EventPart[];

/**
 * The conditions of a selection, separately: delivery states, destination, trigger. Each part has an index with its events' ids in order.
 * An event is selected if it meets all conditions.
 */
export function conditionsOf(parts: readonly EventPart[]): readonly Condition[] {
  const { triggerId, destinationId, occurredAt } = parts[0] ?? {};
  const byOutcome = parts.flatMap(({ from, deliveries }) =>
    deliveries === undefined ? [] : [{ from, deliveries, occurredAt }],
  );
  return [
    ...(byOutcome.length === 0 ? [] : [byOutcome]),
    ...(destinationId === undefined ? [] : [[{ from: 'ofDestination' as const, destinationId, occurredAt }]]),
    ...(triggerId === undefined ? [] : [[{ from: 'events' as const, triggerId, occurredAt }]]),
  ];
}

/** Where rows are: in a range of ids, or one range per lag class. */
export type Place =
  IdRange<string> | { readonly lagged: readonly { readonly lag: number; readonly range: IdRange<string> }[] };

/** Rows of one collection, with an index that has the selected events' ids in order. */
export type SelectedRows =
  | {
      readonly collection: 'events';
      readonly query: Filter<EventDocument>;
      readonly hint: 'list' | 'of_trigger' | 'outcomes' | 'lagged';
    }
  | {
      readonly collection: 'deliveries';
      readonly query: Filter<DeliveryDocument>;
      readonly hint: 'of_destination' | 'outcomes' | 'lagged';
    };

const PREFIX = 'te';
/** Greater than any id. */
export const END = `${PREFIX}~`;

/** The smallest id of events captured at `time`. */
export function firstEventId(time: Date): string {
  return firstPrefixedId(PREFIX, time);
}

/** The disjoint parts that make up the selected events. */
export function partsOf({ filter }: EventSelection): readonly [EventPart, ...EventPart[]] {
  const { triggerId, destinationId, delivery, from, to } = filter;
  const isTimed = from !== undefined || to !== undefined;
  const occurredAt = isTimed ? { ...(from && { $gte: from }), ...(to && { $lt: to }) } : undefined;
  const common = { triggerId, destinationId, occurredAt };
  if (delivery === 'none') return [{ from: 'several', ...common, deliveries: [delivery] }];
  if (delivery !== undefined)
    return [
      { from: 'single', ...common, deliveries: [delivery] },
      { from: 'several', ...common, deliveries: [delivery] },
    ];
  return [{ from: destinationId === undefined ? 'events' : 'ofDestination', ...common }];
}

/** An account's rows of a part, in a range. */
export function selectRows(accountId: string, part: EventPart, place: Place): SelectedRows {
  if (!('lagged' in place)) return rowsIn(accountId, part, place);
  const selected = place.lagged.map(({ lag, range }) => ({ lag, rows: rowsIn(accountId, part, range) }));
  // One filter per value, so that each is a single index range, all in one collection.
  const $or: readonly object[] = selected.map(({ lag, rows: { query } }) => ({ ...query, lag }));
  return selected[0]?.rows.collection === 'events'
    ? { collection: 'events', query: { $or } as Filter<EventDocument>, hint: 'lagged' }
    : { collection: 'deliveries', query: { $or } as Filter<DeliveryDocument>, hint: 'lagged' };
}

/** The account's events that belong to a part and have one of these ids. */
export function selectThose(accountId: string, part: EventPart, ids: readonly string[]): SelectedRows {
  return rowsOf(accountId, part, { $in: [...ids] });
}

function rowsIn(accountId: string, part: EventPart, range: IdRange<string>): SelectedRows {
  return rowsOf(accountId, part, { $gte: range.from, $lt: range.to });
}

type Ids = { readonly $in: string[] } | { readonly $gte: string; readonly $lt: string };

function rowsOf(accountId: string, part: EventPart, ids: Ids): SelectedRows {
  const common = {
    accountId,
    ...(part.triggerId !== undefined && { triggerId: part.triggerId }),
    ...(part.occurredAt !== undefined && { occurredAt: part.occurredAt }),
  };
  const destinationIds = part.destinationId === undefined ? {} : { destinationIds: part.destinationId };
  const destinationId = part.destinationId === undefined ? {} : { destinationId: part.destinationId };
  const among = oneOf(part.deliveries ?? []);
  switch (part.from) {
    case 'events':
      return {
        collection: 'events',
        query: { ...common, _id: ids },
        hint: part.triggerId === undefined ? 'list' : 'of_trigger',
      };
    case 'ofDestination':
      return {
        collection: 'deliveries',
        query: { ...common, ...destinationId, eventId: ids },
        hint: 'of_destination',
      };
    case 'single':
      return {
        collection: 'deliveries',
        // No delivery has the state `none`.
        query: {
          ...common,
          ...destinationId,
          isOnly: true,
          state: among,
          eventId: ids,
        } as Filter<DeliveryDocument>,
        hint: 'outcomes',
      };
    case 'several':
      return {
        collection: 'events',
        query: { ...common, ...destinationIds, delivery: among, _id: ids },
        hint: 'outcomes',
      };
  }
}

/** MongoDB can merge several values of a member in id order, too. */
function oneOf(deliveries: readonly EventDelivery[]) {
  const [first] = deliveries;
  return deliveries.length === 1 && first !== undefined ? first : { $in: [...deliveries] };
}
