import type { RequestContext } from '@fairlead/service-kit/context/context';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { deliveryId } from '../domain/delivery.ts';
import type { EventStore, EventView } from '../ports/event-store.ts';
import { deliveryCollection } from './delivery.collection.ts';
import type { DeliveryDocument } from './delivery.collection.ts';
import { eventCollection } from './event.collection.ts';
import type { EventDocument } from './event.collection.ts';

/** Events whose bodies are read at a time, until the byte limit is reached. */
const READ_AT_ONCE = 10;

/** Events with their deliveries. */
export interface EventViews extends Pick<EventStore, 'read'> {
  viewOf(ctx: RequestContext, document: EventDocument): Promise<EventView | undefined>;
}

/** Reads events with their deliveries. */
export function createEventViews(store: Pick<MongoStore, 'collection'>): EventViews {
  const events = store.collection(eventCollection);
  const deliveries = store.collection(deliveryCollection);

  async function viewsOf(
    ctx: RequestContext,
    accountId: string,
    documents: readonly EventDocument[],
    attempts: 'all' | 'last',
  ): Promise<readonly EventView[]> {
    const ids = documents.flatMap((event) => event.destinationIds.map((id) => deliveryId(event._id, id)));
    const projection = attempts === 'all' ? {} : { attempts: { $slice: -1 } };
    const found = await deliveries
      .find({ accountId, _id: { $in: ids } }, { ...operationOptions(ctx), projection })
      .toArray();
    const ofEvent = Map.groupBy(found, ({ eventId }) => eventId);
    return documents.map((event) => ({
      event: eventOf(event),
      deliveries: inOrder(ofEvent.get(event._id) ?? [], event.destinationIds),
    }));
  }

  return {
    async read(ctx, accountId, ids, maxBytes) {
      const documents: EventDocument[] = [];
      let bytes = 0;
      for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
        const some = ids.slice(start, start + READ_AT_ONCE);
        const found = await events.find({ accountId, _id: { $in: some } }, operationOptions(ctx)).toArray();
        for (const event of inOrderOfIds(found, some)) {
          bytes += event.body.length();
          const last = documents.at(-1);
          if (bytes > maxBytes && last !== undefined)
            return { items: await viewsOf(ctx, accountId, documents, 'last'), next: last._id };
          documents.push(event);
        }
      }
      return { items: await viewsOf(ctx, accountId, documents, 'last') };
    },

    async viewOf(ctx, document) {
      return (await viewsOf(ctx, document.accountId, [document], 'all'))[0];
    },
  };
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
