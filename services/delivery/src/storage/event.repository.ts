import type { RequestContext } from '@fairlead/service-kit/context/context';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { deliveryId } from '../domain/delivery.ts';
import type { EventSelection, EventStore, EventView } from '../ports/event-store.ts';
import { deliveryCollection } from './delivery.collection.ts';
import type { DeliveryDocument } from './delivery.collection.ts';
import { destinationCollection } from './destination.collection.ts';
import { firstEventId, selectEvents } from './event-selection.ts';
import type { SelectedRows } from './event-selection.ts';
import { eventCollection } from './event.collection.ts';
import type { EventDocument } from './event.collection.ts';
import { merged, pageOfStream, without } from './id-streams.ts';
import type { IdStream } from './id-streams.ts';

/** Events whose bodies are read at a time, until there are enough bytes. */
const READ_AT_ONCE = 10;

const NEWEST_FIRST = { direction: -1, precedes: (a: string, b: string) => a > b } as const;
const OLDEST_FIRST = { direction: 1, precedes: (a: string, b: string) => a < b } as const;
type Order = typeof NEWEST_FIRST | typeof OLDEST_FIRST;

/** The events in Mongo. */
export function createEventRepository(store: Pick<MongoStore, 'collection'>): EventStore {
  const events = store.collection(eventCollection);
  const deliveries = store.collection(deliveryCollection);
  const destinations = store.collection(destinationCollection);

  async function* idsIn(
    ctx: RequestContext,
    rows: SelectedRows,
    order: Order,
    { skip, limit }: { readonly skip: number; readonly limit: number } = { skip: 0, limit: 0 },
  ): AsyncGenerator<string> {
    const options = { ...operationOptions(ctx), hint: rows.hint };
    const found =
      rows.collection === 'events'
        ? events
            .find(rows.query, { ...options, projection: { _id: 1 } })
            .sort({ _id: order.direction })
            .map(({ _id }) => _id)
        : deliveries
            .find(rows.query, { ...options, projection: { _id: 0, eventId: 1 } })
            .sort({ eventId: order.direction })
            .map(({ eventId }) => eventId);
    yield* found.skip(skip).limit(limit);
  }

  function countRows(ctx: RequestContext, rows: SelectedRows): Promise<number> {
    const options = { ...operationOptions(ctx), hint: rows.hint };
    return rows.collection === 'events'
      ? events.countDocuments(rows.query, options)
      : deliveries.countDocuments(rows.query, options);
  }

  function idStream(
    ctx: RequestContext,
    accountId: string,
    selection: EventSelection,
    order: Order,
  ): IdStream {
    const [first, second] = selectEvents(accountId, selection).map((rows) => idsIn(ctx, rows, order));
    if (first === undefined) throw new Error('A selection has no rows.');
    return second === undefined ? first : merged(first, second, order.precedes);
  }

  async function viewsOf(
    ctx: RequestContext,
    accountId: string,
    documents: readonly EventDocument[],
  ): Promise<readonly EventView[]> {
    const ids = documents.flatMap((event) => event.destinationIds.map((id) => deliveryId(event._id, id)));
    const found = await deliveries.find({ accountId, _id: { $in: ids } }, operationOptions(ctx)).toArray();
    const ofEvent = Map.groupBy(found, ({ eventId }) => eventId);
    return documents.map((event) => ({
      event: eventOf(event),
      deliveries: inOrder(ofEvent.get(event._id) ?? [], event.destinationIds),
    }));
  }

  return {
    async listIds(ctx, accountId, selection, { offset, top }) {
      const [only, ...others] = selectEvents(accountId, selection);
      if (only !== undefined && others.length === 0) {
        const ids = idsIn(ctx, only, NEWEST_FIRST, { skip: offset, limit: top });
        return pageOfStream(ids, { offset: 0, top });
      }
      return pageOfStream(idStream(ctx, accountId, selection, NEWEST_FIRST), { offset, top });
    },

    listDeliverableIds(ctx, accountId, selection, limit) {
      const selected = idStream(ctx, accountId, selection, OLDEST_FIRST);
      const nowhere = { ...selection, filter: { ...selection.filter, delivery: 'none' } } as const;
      const excluded = idStream(ctx, accountId, nowhere, OLDEST_FIRST);
      const ids = without(selected, excluded, OLDEST_FIRST.precedes);
      return pageOfStream(ids, { offset: 0, top: limit });
    },

    async count(ctx, accountId, selection) {
      const counts = await Promise.all(
        selectEvents(accountId, selection).map((rows) => countRows(ctx, rows)),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    },

    async has(ctx, accountId, id, since) {
      const options = { ...operationOptions(ctx), projection: { _id: 1 } };
      return (await events.findOne(oneEvent(accountId, id, since), options)) !== null;
    },

    async read(ctx, accountId, ids, maxBytes) {
      const documents: EventDocument[] = [];
      let bytes = 0;
      for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
        const some = ids.slice(start, start + READ_AT_ONCE);
        const found = await events.find({ accountId, _id: { $in: some } }, operationOptions(ctx)).toArray();
        for (const event of inOrderOfIds(found, some)) {
          bytes += event.body.length();
          if (bytes > maxBytes && documents.length > 0) return viewsOf(ctx, accountId, documents);
          documents.push(event);
        }
      }
      return viewsOf(ctx, accountId, documents);
    },

    async find(ctx, accountId, id, since) {
      const event = await events.findOne(oneEvent(accountId, id, since), operationOptions(ctx));
      return event === null ? undefined : (await viewsOf(ctx, accountId, [event]))[0];
    },

    async findDisabled(ctx, accountId, destinationIds) {
      const found = await destinations
        .find(
          { accountId, _id: { $in: [...destinationIds] }, disabledReason: { $ne: null } },
          { ...operationOptions(ctx), projection: { _id: 1 } },
        )
        .toArray();
      return new Set(found.map(({ _id }) => _id));
    },
  };
}

/** The condition for one event of an account that was captured at `since` or later. */
export function oneEvent(accountId: string, id: string, since: Date) {
  return { accountId, _id: { $eq: id, $gte: firstEventId(since) } };
}

function eventOf(document: EventDocument): EventView['event'] {
  const { _id, triggerId, triggerType, occurredAt, capturedAt, body } = document;
  const { payloadTruncated, payloadHash, destinationIds } = document;
  return {
    id: _id,
    triggerId,
    triggerType,
    occurredAt,
    capturedAt,
    body: body.value(),
    payloadTruncated,
    payloadHash,
    destinationIds,
  };
}

function inOrder(found: readonly DeliveryDocument[], destinationIds: readonly string[]): DeliveryDocument[] {
  return found.toSorted(
    (a, b) => destinationIds.indexOf(a.destinationId) - destinationIds.indexOf(b.destinationId),
  );
}

function inOrderOfIds(found: readonly EventDocument[], ids: readonly string[]): EventDocument[] {
  return found.toSorted((a, b) => ids.indexOf(a._id) - ids.indexOf(b._id));
}
