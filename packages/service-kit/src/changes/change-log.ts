import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import { ApiError } from '@fairlead/errors/api-error';
import type { ClientSession, Filter } from 'mongodb';
import { Binary, Timestamp } from 'mongodb';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { RequestContext } from '../context/context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import type { MongoStore } from '../mongo/mongo.ts';
import { operationOptions } from '../mongo/mongo.ts';
import type { EventDefinition } from '../nats/events.ts';
import { encodeEvent } from '../nats/events.ts';
import type { ChangeDocument } from './change.collection.ts';
import {
  ACCEPTED_MS,
  changeCollection,
  IN_ORDER,
  KEPT_MS,
  PROMISED_MS,
  UNNUMBERED,
  UNNUMBERED_INDEX,
} from './change.collection.ts';

/** A change to record. */
export interface NewChange<S extends DescMessage> {
  /** The account; empty: none in particular. */
  readonly accountId: string;
  /** The kind of change and, as `message`, its payload. */
  readonly event: EventDefinition<S>;
  readonly message: MessageInitShape<S>;
  readonly occurredAt: Date;
}

/** A recorded change. */
interface Change {
  /** The change's permanent position among the service's changes. */
  readonly number: number;
  /** The account; empty: none in particular. */
  readonly accountId: string;
  readonly subject: string;
  readonly payload: Uint8Array;
  readonly occurredAt: Date;
}

/** Changes in their order, and the cursor of the next page. */
interface ChangePage {
  readonly changes: readonly Change[];
  readonly nextCursor: string;
  /** Whether there may be more changes now; false: these were the last. */
  readonly hasMore: boolean;
}

/** The changes of a service's records, for readers in other services. */
export interface ChangeLog {
  /** Records a change in the transaction that makes it, so that both or neither are stored. */
  append<S extends DescMessage>(session: ClientSession, change: NewChange<S>): Promise<void>;
  /**
   * The next changes after `cursor`; '' starts 30 days ago. Returns at most `limit`, and fewer if they are large: a
   * page ends with the change that brings the payloads to 1 MiB. All readers get the same order. A change follows
   * every change that was committed before it began, and earlier changes of the same record; otherwise, changes of
   * overlapping transactions may have another order than their commits. Throws VALIDATION_ERROR for an invalid
   * cursor, and NOT_FOUND for one after which changes may have been removed.
   */
  read(ctx: RequestContext, cursor: string, limit: number): Promise<ChangePage>;
}

/** Maximum changes per `read`, and maximum that are numbered at a time. */
export const MAX_PAGE = 1_000;

/** Far below the limit of a message, because a page may exceed it by its last payload. */
const PAGE_BYTES = 1024 * 1024;

const SEQUENCE = 'changes';

/**
 * The log in a service's database, which declares `changeCollection`. Writers do not wait for each other, because a
 * record gets its number only when it is read. docs/adr/0019-change-records-are-numbered-by-readers.md gives the
 * reasons, and describes two concurrent readers and a reader that dies.
 */
export function createChangeLog(o: {
  readonly store: MongoStore;
  readonly clock: Clock;
  /** Called after the end of each transaction that recorded changes, whether or not it was committed. */
  readonly onRecorded?: () => void;
}): ChangeLog {
  const { store, clock, onRecorded } = o;
  const changes = store.collection(changeCollection);
  const announced = new WeakSet<ClientSession>();

  /** Assigns the next numbers to the currently visible records, at most MAX_PAGE, the earliest written first. */
  async function numberNew(ctx: RequestContext, kept: Filter<ChangeDocument>): Promise<void> {
    const unnumbered = { number: UNNUMBERED, ...kept };
    const options = { ...operationOptions(ctx), hint: UNNUMBERED_INDEX, projection: { _id: 1 } };
    if ((await changes.findOne(unnumbered, options)) === null) return;
    await store.withTransaction(async (session) => {
      // If the transaction's snapshot contains a record, it also contains all records that were committed before that
      // record's transaction began.
      const found = await changes
        .find(unnumbered, { ...options, session })
        .sort({ writtenAt: 1 })
        .limit(MAX_PAGE)
        .toArray();
      if (found.length === 0) return;
      const first = (await store.takeSequence(session, SEQUENCE, found.length)) - found.length + 1;
      const updates = found.map(({ _id }, index) => ({
        updateOne: { filter: { _id }, update: { $set: { number: first + index } } },
      }));
      await changes.bulkWrite(updates, { session });
    });
  }

  return {
    async append(session, { accountId, event, message, occurredAt }) {
      if (!session.inTransaction())
        throw new TypeError('A change must be recorded in the transaction that makes it.');
      const payload = encodeEvent(event, create(event.schema, message));
      await changes.insertOne(
        {
          accountId,
          subject: event.subject,
          payload: new Binary(payload),
          occurredAt,
          // The server replaces an empty timestamp with its logical time.
          writtenAt: new Timestamp({ t: 0, i: 0 }),
          number: UNNUMBERED,
        },
        { session },
      );
      if (onRecorded === undefined || announced.has(session)) return;
      announced.add(session);
      session.once('ended', onRecorded);
    },

    async read(ctx, cursor, limit) {
      const nowMs = clock.now().getTime();
      const [after, atMs] = cursor === '' ? [UNNUMBERED, nowMs] : readCursor(place, cursor);
      if (atMs < nowMs - ACCEPTED_MS) throw cursorTooOld();
      await numberNew(ctx, occurredAfter(nowMs - KEPT_MS));
      const period = occurredAfter(nowMs - (cursor === '' ? PROMISED_MS : KEPT_MS));
      const following = changes
        .find({ number: { $gt: after }, ...period }, { ...operationOptions(ctx), hint: IN_ORDER })
        .sort({ number: 1 })
        .limit(limit);
      const found: Change[] = [];
      let bytes = 0;
      for await (const { payload, ...change } of following) {
        found.push({ ...change, payload: payload.value() });
        bytes += payload.length();
        if (bytes >= PAGE_BYTES) break;
      }
      const last = found.at(-1);
      const hasMore = found.length === limit || bytes >= PAGE_BYTES;
      // At the end of the log, no change was missed until now, however long ago the last one was.
      const nextAt = last !== undefined && hasMore ? last.occurredAt.getTime() : nowMs;
      return { changes: found, nextCursor: writeCursor([last?.number ?? after, nextAt]), hasMore };
    },
  };
}

/** Selects the changes after a time in milliseconds since the epoch. */
function occurredAfter(timeMs: number): Filter<ChangeDocument> {
  return { occurredAt: { $gt: new Date(timeMs) } };
}

/** The number up to which a reader has read, and a time (milliseconds since the epoch) not before that read. */
const place = z.tuple([z.int().min(0), z.int().min(0)], z.unknown());

function cursorTooOld(): ApiError {
  return new ApiError(
    'NOT_FOUND',
    'Changes after this cursor may have been removed: they are kept for 30 days. Start without a cursor.',
  );
}
