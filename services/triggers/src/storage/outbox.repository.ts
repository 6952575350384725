import type { ItemResult } from '@fairlead/service-kit/batch/batcher';
import { bulkErrors, DUPLICATE_KEY } from '@fairlead/service-kit/mongo/write-errors';
import { startOf } from '@fairlead/service-kit/metering/day';
import type { Day } from '@fairlead/service-kit/metering/day';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { ClientSession, Filter } from 'mongodb';
import type { CapturedEvent } from '../domain/event.ts';
import type { CaptureResult, Outbox, PendingGroup } from '../ports/outbox.ts';
import { eventDayCollection } from './event-day.collection.ts';
import { documentOf, eventsOf, firingOf, groupsOf } from './outbox-groups.ts';
import { outboxCollection } from './outbox.collection.ts';
import type { OutboxDocument } from './outbox.collection.ts';

/** The outbox in the service's database. */
export interface OutboxRepository extends Outbox {
  /**
   * Stores events within a transaction, besides its other writes; nothing is captured unless it commits. Results are in the order of the
   * events.
   */
  insertIn(session: ClientSession, events: readonly CapturedEvent[]): Promise<readonly CaptureResult[]>;
}

/** Batches have no deadline: callers leave at their own, and the common write continues. */
const WRITE_TIMEOUT_MS = 5_000;
/** Attempts to store a group: each one leaves out firings that are already known, but others may be captured concurrently. */
const INSERT_ATTEMPTS = 5;
const PAGE = 1_000;
const KEY_KEPT_MS = 24 * 60 * 60 * 1000;
const CLOCK_TOLERANCE_MS = 60_000;

/** The outbox of a store that has outboxCollection and eventDayCollection. */
export function createOutboxRepository(store: MongoStore): OutboxRepository {
  const collection = store.collection(outboxCollection);
  const eventDays = store.collection(eventDayCollection);

  /** The ids of events of captured firings, by `keyOf`. */
  async function findCaptured(
    events: readonly CapturedEvent[],
    session?: ClientSession,
  ): Promise<ReadonlyMap<string, string>> {
    if (events.length === 0) return new Map();
    const accounts = Map.groupBy(events, ({ accountId }) => accountId);
    const named = [...accounts].map(([accountId, of]) => ({ accountId, firings: { $in: of.map(firingOf) } }));
    const options = {
      projection: { accountId: 1, firings: 1, eventIds: 1 },
      maxTimeMS: WRITE_TIMEOUT_MS,
      ...(session && { session }),
    };
    const found = await collection.find({ $or: named }, options).toArray();
    return new Map(
      found.flatMap(({ accountId, firings, eventIds }) =>
        firings.map((firing, at) => [`${accountId} ${firing}`, eventIds[at] ?? ''] as const),
      ),
    );
  }

  /** Stores groups of events with distinct firings, and records the result of each event. */
  async function insertGroups(
    groups: readonly (readonly CapturedEvent[])[],
    results: Map<CapturedEvent, ItemResult<CaptureResult>>,
  ): Promise<void> {
    let left = groups;
    for (let attempt = 1; left.length > 0; attempt += 1) {
      const writing = collection.insertMany(left.map(documentOf), {
        ordered: false,
        maxTimeMS: WRITE_TIMEOUT_MS,
      });
      const errors = await bulkErrors(writing);
      const mayRepeat = (at: number): boolean =>
        errors.get(at)?.code === DUPLICATE_KEY && attempt < INSERT_ATTEMPTS;
      const known = await findCaptured(left.filter((_, at) => errors.get(at)?.code === DUPLICATE_KEY).flat());
      left = left.flatMap((group, at) => {
        const error = errors.get(at);
        const others: CapturedEvent[] = [];
        for (const event of group) {
          const id = error === undefined ? event.id : known.get(keyOf(event));
          if (id !== undefined) results.set(event, { status: 'done', value: { id, isNew: id === event.id } });
          else if (mayRepeat(at)) others.push(event);
          else
            results.set(event, {
              status: 'failed',
              error: new Error(error?.errmsg ?? 'The event was refused.'),
            });
        }
        return others.length > 0 ? [others] : [];
      });
    }
  }

  /** Counts the events of groups for their accounts, by day of capture. */
  async function countEvents(session: ClientSession, groups: Filter<OutboxDocument>): Promise<void> {
    const day = { $dateToString: { date: '$pendingSince', format: '%Y-%m-%d' } };
    const count = { $sum: { $size: '$eventIds' } };
    const counted = await collection
      .aggregate<{ _id: { accountId: string; day: Day }; count: number }>(
        // Groups without bodies were counted before; after a restore they are confirmed again.
        [
          { $match: { ...groups, events: { $exists: true } } },
          { $group: { _id: { accountId: '$accountId', day }, count } },
        ],
        { session },
      )
      .toArray();
    if (counted.length === 0) return;
    await eventDays.bulkWrite(
      counted.map(({ _id: of, count: events }) => ({
        updateOne: {
          filter: of,
          update: { $inc: { eventCount: events }, $setOnInsert: { startsAt: startOf(of.day) } },
          upsert: true,
        },
      })),
      { ordered: false, session },
    );
  }

  return {
    async insert(events) {
      const firsts = new Map<string, CapturedEvent>();
      for (const event of events) if (!firsts.has(keyOf(event))) firsts.set(keyOf(event), event);
      const results = new Map<CapturedEvent, ItemResult<CaptureResult>>();
      await insertGroups(groupsOf([...firsts.values()]), results);
      return events.map((event): ItemResult<CaptureResult> => {
        const first = firsts.get(keyOf(event)) ?? event;
        const result = results.get(first) ?? {
          status: 'failed',
          error: new Error('The event has no result.'),
        };
        return first === event || result.status === 'failed'
          ? result
          : { status: 'done', value: { id: result.value.id, isNew: false } };
      });
    },
    async insertIn(session, events) {
      const ids = new Map(await findCaptured(events, session));
      const added: CapturedEvent[] = [];
      const results = events.map((event): CaptureResult => {
        const id = ids.get(keyOf(event));
        if (id !== undefined) return { id, isNew: false };
        ids.set(keyOf(event), event.id);
        added.push(event);
        return { id: event.id, isNew: true };
      });
      if (added.length > 0) await collection.insertMany(groupsOf(added).map(documentOf), { session });
      return results;
    },
    async *pending(now, until) {
      const future = new Date(now.getTime() + CLOCK_TOLERANCE_MS);
      const found = collection
        .find({ $or: [{ pendingSince: { $lte: until } }, { pendingSince: { $gt: future } }] })
        .sort({ pendingSince: 1, _id: 1 })
        .project<Pick<OutboxDocument, '_id' | 'eventIds'>>({ _id: 1, eventIds: 1 })
        .batchSize(PAGE);
      let page: PendingGroup[] = [];
      let events = 0;
      for await (const { _id: id, eventIds } of found) {
        page.push({ id, eventIds });
        events += eventIds.length;
        if (events < PAGE) continue;
        yield page;
        [page, events] = [[], 0];
      }
      if (page.length > 0) yield page;
    },
    async read(groupIds) {
      const found = await collection
        .find({ _id: { $in: [...groupIds] }, pendingSince: { $exists: true } })
        .toArray();
      return found.flatMap(eventsOf);
    },
    async confirm(groupIds, now) {
      if (groupIds.length === 0) return;
      const pending = { _id: { $in: [...groupIds] }, pendingSince: { $exists: true } };
      const expireAt = new Date(now.getTime() + KEY_KEPT_MS);
      await store.withTransaction(async (session) => {
        // In one transaction: a group is confirmed once, and its events are counted then.
        await countEvents(session, pending);
        await collection.updateMany(
          pending,
          { $unset: { events: 1, pendingSince: 1 }, $set: { expireAt } },
          { session },
        );
      });
    },
    async oldestPending() {
      const oldest = await collection.findOne(
        { pendingSince: { $exists: true } },
        { sort: { pendingSince: 1, _id: 1 }, projection: { _id: 0, pendingSince: 1 } },
      );
      return oldest?.pendingSince;
    },
  };
}

/** The unique key of an event's firing. */
function keyOf(event: CapturedEvent): string {
  return `${event.accountId} ${firingOf(event)}`;
}
