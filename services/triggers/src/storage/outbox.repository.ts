import type { ItemResult } from '@fairlead/service-kit/batch/batcher';
import { DUPLICATE_KEY, bulkErrors } from '@fairlead/service-kit/mongo/bulk-errors';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { Binary } from 'mongodb';
import type { ClientSession, WithId } from 'mongodb';
import type { CapturedEvent } from '../domain/event.ts';
import type { CaptureResult, Outbox } from '../ports/outbox.ts';
import { outboxCollection } from './outbox.collection.ts';
import type { OutboxDocument } from './outbox.collection.ts';

/** The outbox in the service's database. */
export interface OutboxRepository extends Outbox {
  /**
   * Stores events in a transaction, beside what else it writes; nothing is captured unless it commits. The results are in the
   * order of the events.
   */
  insertIn(session: ClientSession, events: readonly CapturedEvent[]): Promise<readonly CaptureResult[]>;
}

/** Callers leave at their own deadlines; what they wrote together does not wait for them. */
const WRITE_TIMEOUT_MS = 5_000;
const PAGE = 1_000;
const KEY_KEPT_MS = 24 * 60 * 60 * 1000;
const CLOCK_TOLERANCE_MS = 60_000;

/** The outbox of a store that has outboxCollection. */
export function createOutboxRepository(store: MongoStore): OutboxRepository {
  const collection = store.collection(outboxCollection);

  /** The ids of firings that are captured, by `firingOf`. */
  async function captured(
    events: readonly CapturedEvent[],
    session?: ClientSession,
  ): Promise<ReadonlyMap<string, string>> {
    if (events.length === 0) return new Map();
    const triggers = Map.groupBy(events, ({ accountId, triggerId }) => `${accountId} ${triggerId}`);
    const named = [...triggers.values()].flatMap((of) => {
      const [first] = of;
      if (first === undefined) return [];
      const { accountId, triggerId } = first;
      return [{ accountId, triggerId, firingKey: { $in: of.map(({ firingKey }) => firingKey) } }];
    });
    const options = {
      projection: { accountId: 1, triggerId: 1, firingKey: 1 },
      maxTimeMS: WRITE_TIMEOUT_MS,
      ...(session && { session }),
    };
    const found = await collection.find({ $or: named }, options).toArray();
    return new Map(found.map((document) => [firingOf(document), document._id]));
  }

  return {
    async insert(events) {
      const writing = collection.insertMany(events.map(documentOf), {
        ordered: false,
        maxTimeMS: WRITE_TIMEOUT_MS,
      });
      const errors = await bulkErrors(writing);
      const known = await captured(events.filter((_, at) => errors.get(at)?.code === DUPLICATE_KEY));
      return events.map((event, at): ItemResult<CaptureResult> => {
        const error = errors.get(at);
        if (error === undefined) return { status: 'done', value: { id: event.id, isNew: true } };
        const id = known.get(firingOf(event));
        if (id !== undefined) return { status: 'done', value: { id, isNew: false } };
        return { status: 'failed', error: new Error(error.errmsg ?? 'The event was refused.') };
      });
    },
    async insertIn(session, events) {
      const ids = new Map(await captured(events, session));
      const added: CapturedEvent[] = [];
      const results = events.map((event): CaptureResult => {
        const id = ids.get(firingOf(event));
        if (id !== undefined) return { id, isNew: false };
        ids.set(firingOf(event), event.id);
        added.push(event);
        return { id: event.id, isNew: true };
      });
      if (added.length > 0) await collection.insertMany(added.map(documentOf), { session });
      return results;
    },
    async *pending(now, until) {
      const future = new Date(now.getTime() + CLOCK_TOLERANCE_MS);
      const found = collection
        .find({ $or: [{ pendingSince: { $lte: until } }, { pendingSince: { $gt: future } }] })
        .sort({ pendingSince: 1, _id: 1 })
        .project<{ _id: string }>({ _id: 1 })
        .batchSize(PAGE);
      let page: string[] = [];
      for await (const { _id } of found) {
        page.push(_id);
        if (page.length < PAGE) continue;
        yield page;
        page = [];
      }
      if (page.length > 0) yield page;
    },
    async read(ids) {
      const found = await collection
        .find({ _id: { $in: [...ids] }, pendingSince: { $exists: true } })
        .toArray();
      return found.flatMap(eventOf);
    },
    async confirm(ids, now) {
      if (ids.length === 0) return;
      await collection.updateMany(
        { _id: { $in: [...ids] }, pendingSince: { $exists: true } },
        {
          $unset: { body: 1, pendingSince: 1 },
          $set: { expireAt: new Date(now.getTime() + KEY_KEPT_MS) },
        },
      );
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

/** What is unique. */
function firingOf(of: Pick<OutboxDocument, 'accountId' | 'triggerId' | 'firingKey'>): string {
  return `${of.accountId} ${of.triggerId} ${of.firingKey}`;
}

function documentOf({ id, body, ...same }: CapturedEvent): OutboxDocument {
  return { _id: id, ...same, body: new Binary(body), pendingSince: same.capturedAt };
}

function eventOf({
  _id: id,
  body,
  pendingSince: _pending,
  expireAt: _expiry,
  ...same
}: WithId<OutboxDocument>): CapturedEvent[] {
  return body === undefined ? [] : [{ id, ...same, body: body.buffer }];
}
