import type { Clock } from '@fairlead/service-kit/clock';
import type { ChangedRow } from '@fairlead/counts/pending-changes';
import { createRowCounts } from '@fairlead/counts/row-counts';
import type { CountedRows, RowCounts } from '@fairlead/counts/row-counts';
import { timeOfPrefixedId } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Delivery } from '../domain/delivery.ts';
import type { EventDelivery } from '../domain/event-delivery.ts';
import { keptSince } from '../domain/event.ts';
import { deliveryCollection } from './delivery.collection.ts';
import {
  EVENT_MEMBERS,
  eventCheckpointCollection,
  eventCountStateCollection,
  eventRowCheckpointCollection,
  eventRowCountStateCollection,
} from './event-checkpoint.collection.ts';
import type { EventMember } from './event-checkpoint.collection.ts';
import { createEventRows } from './event-rows.ts';
import { firstEventId, selectRows } from './event-selection.ts';
import type { CountedPart } from './event-selection.ts';
import { eventCollection } from './event.collection.ts';

/**
 * Counts events exactly, by any period. Writes that add or remove events or deliveries, or change an event's destinations, must use
 * `changing`. Writes that only change delivery states, long after the capture, use `changingOutcomes`.
 */
export interface EventCounts extends RowCounts<string, CountedPart> {
  readonly changingOutcomes: RowCounts<string, CountedPart>['changing'];
}

/** All delivery states. */
const DELIVERIES: readonly EventDelivery[] = ['none', 'pending', 'delivered', 'deadLettered', 'held'];
const NOTHING = { all: 0, none: 0, pending: 0, delivered: 0, deadLettered: 0, held: 0 } as const;

/** Creates the counts of events in a store. `rowsPerCheckpoint` is for tests. */
export function createEventCounts(o: {
  readonly store: Pick<MongoStore, 'collection' | 'withTransaction'>;
  readonly clock: Clock;
  readonly rowsPerCheckpoint?: number | undefined;
}): EventCounts {
  const common = { ...o, ids: { firstOf: firstEventId, timeOf: timeOfPrefixedId }, keptSince };
  const outcomes = createRowCounts<string, CountedPart, EventMember>({
    ...common,
    checkpoints: eventCheckpointCollection,
    states: eventCountStateCollection,
    members: EVENT_MEMBERS,
    rows: eventOutcomes(o.store),
  });
  const rows = createRowCounts<string, CountedPart, 'all'>({
    ...common,
    checkpoints: eventRowCheckpointCollection,
    states: eventRowCountStateCollection,
    members: ['all'],
    rows: eventRows(o.store),
  });
  const of = ({ deliveries }: CountedPart) => (deliveries === undefined ? rows : outcomes);
  return {
    count: (options, accountId, part, range) => of(part).count(options, accountId, part, range),
    extend: (accountId, part) => of(part).extend(accountId, part),
    changing: (changed, write) => rows.changing(changed, () => outcomes.changing(changed, write)),
    changingOutcomes: (changed, write) => outcomes.changing(changed, write),
  };
}

/** Names the events that checkpoints of a part count, in any delivery state and period. */
export function countedAs({ from, triggerId, destinationId }: CountedPart): string {
  return JSON.stringify([from, triggerId ?? null, destinationId ?? null]);
}

/** Names the row of the counts to update when a delivery ends, is held or is reopened. */
export function changedBy({
  accountId,
  eventId,
}: Pick<Delivery, 'accountId' | 'eventId'>): ChangedRow<string> {
  return { accountId, id: eventId };
}

type Parts<M extends string> = CountedRows<string, CountedPart, M>;

function eventOutcomes(store: Pick<MongoStore, 'collection'>): Parts<EventMember> {
  const parts = eventParts(store);
  return {
    ...parts,
    memberOf: ({ deliveries: [only] = [] }) => only ?? 'all',
    async countMembers(options, accountId, part, range) {
      const counted: Record<EventMember, number> = { ...NOTHING };
      // Sequentially, because a transaction runs one operation at a time.
      for (const delivery of DELIVERIES)
        counted[delivery] = await parts.count(options, accountId, { ...part, deliveries: [delivery] }, range);
      return counted;
    },
  };
}

function eventRows(store: Pick<MongoStore, 'collection'>): Parts<'all'> {
  const parts = eventParts(store);
  return {
    ...parts,
    memberOf: () => 'all',
    countMembers: async (...of) => ({ all: await parts.count(...of) }),
  };
}

function eventParts(store: Pick<MongoStore, 'collection'>): Omit<Parts<never>, 'memberOf' | 'countMembers'> {
  const events = store.collection(eventCollection);
  const deliveries = store.collection(deliveryCollection);

  const rows = createEventRows(store);

  return {
    countedAs,
    isSparse: ({ from, triggerId, destinationId }) =>
      from !== 'events' &&
      (triggerId !== undefined || (from !== 'ofDestination' && destinationId !== undefined)),
    count: (options, accountId, part, range) => rows.count(options, accountId, part, range),

    async idAfter(options, accountId, part, { range, skip }) {
      // The rows that a count reads: those between two checkpoints, at most.
      const { triggerId, destinationId, from, deliveries: some } = part;
      const read: CountedPart = {
        from,
        ...(from === 'events' && { triggerId }),
        ...(from === 'ofDestination' && { destinationId }),
        ...(some !== undefined && { deliveries: DELIVERIES }),
      };
      const selected = selectRows(accountId, read, range);
      if (selected.collection === 'events')
        return await events
          .find(selected.query, { ...options, projection: { _id: 1 }, hint: selected.hint })
          .sort({ _id: 1 })
          .skip(skip)
          .limit(1)
          .map(({ _id }) => _id)
          .next()
          .then((id) => id ?? undefined);
      return await deliveries
        .find(selected.query, { ...options, projection: { _id: 0, eventId: 1 }, hint: selected.hint })
        .sort({ eventId: 1 })
        .skip(skip)
        .limit(1)
        .map(({ eventId }) => eventId)
        .next()
        .then((id) => id ?? undefined);
    },
  };
}
