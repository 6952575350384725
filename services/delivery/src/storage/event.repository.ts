import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CheckpointExtension } from '@fairlead/counts/checkpoint-extension';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { EventStore } from '../ports/event-store.ts';
import { destinationCollection } from './destination.collection.ts';
import type { EventCounts } from './event-counts.ts';
import { createEventPages } from './event-pages.ts';
import { OLDEST_FIRST } from './event-rows.ts';
import { firstEventId } from './event-selection.ts';
import type { CountedPart } from './event-selection.ts';
import { createEventViews } from './event-views.ts';
import { eventCollection } from './event.collection.ts';
import { pageOfStream, without } from './id-streams.ts';

/** Events checked for existing destinations per query. */
const READ_AT_ONCE = 1_000;

/** The events in Mongo. `nearOffset` is for tests. */
export function createEventRepository(o: {
  readonly store: Pick<MongoStore, 'collection'>;
  readonly counts: Pick<EventCounts, 'count'>;
  readonly extension: Pick<CheckpointExtension<CountedPart>, 'request'>;
  readonly nearOffset?: number | undefined;
}): EventStore {
  const events = o.store.collection(eventCollection);
  const destinations = o.store.collection(destinationCollection);
  const views = createEventViews(o.store);
  const pages = createEventPages(o);

  /** The events with an existing destination, in order. */
  async function withDestination(
    ctx: RequestContext,
    accountId: string,
    ids: readonly string[],
  ): Promise<readonly string[]> {
    const live = await destinations
      .find({ accountId, isDeleted: false }, { ...operationOptions(ctx), projection: { _id: 1 } })
      .map(({ _id }) => _id)
      .toArray();
    const found: string[] = [];
    for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
      const some = ids.slice(start, start + READ_AT_ONCE);
      const there = await events
        .find(
          { accountId, _id: { $in: some }, destinationIds: { $in: live } },
          { ...operationOptions(ctx), projection: { _id: 1 }, hint: '_id_' },
        )
        .map(({ _id }) => _id)
        .toArray();
      const isThere = new Set(there);
      found.push(...some.filter((id) => isThere.has(id)));
    }
    return found;
  }

  return {
    listIds: (ctx, accountId, selection, page) => pages.page(ctx, accountId, selection, page),

    async listDeliverableIds(ctx, accountId, selection, limit) {
      const selected = pages.oldestFirst(ctx, accountId, selection);
      const nowhere = { ...selection, filter: { ...selection.filter, delivery: 'none' } } as const;
      const excluded = pages.oldestFirst(ctx, accountId, nowhere);
      const ids = without(selected, excluded, OLDEST_FIRST.precedes);
      const oldest = await pageOfStream(ids, { offset: 0, top: limit });
      return withDestination(ctx, accountId, oldest);
    },

    count: (ctx, accountId, selection) => pages.count(ctx, accountId, selection),

    async has(ctx, accountId, id, since) {
      const options = { ...operationOptions(ctx), projection: { _id: 1 } };
      return (await events.findOne(oneEvent(accountId, id, since), options)) !== null;
    },

    read: (ctx, accountId, ids, maxBytes) => views.read(ctx, accountId, ids, maxBytes),

    async find(ctx, accountId, id, since) {
      const event = await events.findOne(oneEvent(accountId, id, since), operationOptions(ctx));
      return event === null ? undefined : views.viewOf(ctx, event);
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

/** The filter for one event of an account, captured at `since` or later. */
export function oneEvent(accountId: string, id: string, since: Date) {
  return { accountId, _id: { $eq: id, $gte: firstEventId(since) } };
}
