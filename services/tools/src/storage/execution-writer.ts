import { createBatcher } from '@fairlead/service-kit/batch/batcher';
import type { BatchLimits, ItemResult } from '@fairlead/service-kit/batch/batcher';
import type { Clock } from '@fairlead/service-kit/clock';
import { DUPLICATE_KEY, bulkErrors } from '@fairlead/service-kit/mongo/bulk-errors';
import { databaseFailure } from '@fairlead/service-kit/mongo/database-errors';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { MongoBulkWriteError } from 'mongodb';
import type { ClientSession } from 'mongodb';
import type { ExecutionRecord } from '../domain/execution.ts';
import { timeOfId } from '../domain/history-id.ts';
import type { HistoryIds } from '../domain/history-id.ts';
import type { History } from '../ports/history.ts';
import type { CountedRow, ExecutionCounts } from './execution-counts.ts';
import { executionCollection } from './execution.collection.ts';

/**
 * Far more than the replicas that collide in one millisecond: by a retry the clock has moved on to another range of
 * ids.
 */
const MAX_ID_ATTEMPTS = 50;
/** Callers leave at their own deadlines; what is completed or removed does not wait for them. */
const WRITE_TIMEOUT_MS = 5_000;

const LIMITS: BatchLimits = {
  itemsPerBatch: 500,
  bytesPerBatch: 8 * 1024 * 1024,
  waitingItems: 10_000,
  waitingBytes: 64 * 1024 * 1024,
  batches: 4,
  slowMs: 100,
};
/** What a row holds besides its JSON, about. */
const ROW_BYTES = 1_024;

/** The content of a row, as it is stored. */
type RowContent = ReturnType<typeof contentOf>;

interface NewRow {
  readonly accountId: string;
  readonly content: RowContent;
  readonly isSettled: boolean;
}

interface SettledRow {
  readonly accountId: string;
  readonly historyId: number;
  readonly content: RowContent;
}

/**
 * Writes the history by group commit (ADR 41): one bulk write is under way, and what arrives meanwhile goes into the next. Each
 * write is majority and journaled, and each row fails or succeeds by itself.
 */
export function createExecutionWriter(o: {
  readonly store: MongoStore;
  readonly ids: HistoryIds;
  readonly clock: Clock;
  readonly counts: Pick<ExecutionCounts, 'isLate' | 'writeLate'>;
}): Pick<History, 'insert' | 'settle' | 'remove' | 'drain'> {
  const collection = o.store.collection(executionCollection);
  const inserts = createBatcher<NewRow, number>({ limits: LIMITS, process: isolated(insertAll) });
  const settlements = createBatcher<SettledRow, void>({ limits: LIMITS, process: isolated(settleAll) });

  /** Inserts the rows; one whose id is taken gets its next id and is inserted again. */
  async function insertAll(rows: readonly NewRow[]): Promise<ItemResult<number>[]> {
    const results: ItemResult<number>[] = [];
    let left = [...rows.entries()];
    for (let attempt = 1; left.length > 0; attempt += 1) {
      const now = o.clock.now();
      const documents = left.map(([, { accountId, content, isSettled }]) => {
        const _id = o.ids.next(now);
        return { _id, accountId, ...content, isSettled, createdAt: timeOfId(_id), updatedAt: now };
      });
      const errors = await bulkErrors(
        collection.insertMany(documents, { ordered: false, maxTimeMS: WRITE_TIMEOUT_MS }),
      );
      const retried: typeof left = [];
      for (const [place, entry] of left.entries()) {
        const error = errors.get(place);
        const historyId = documents[place]?._id ?? 0;
        if (error === undefined) results[entry[0]] = { status: 'done', value: historyId };
        else if (error.code === DUPLICATE_KEY && attempt < MAX_ID_ATTEMPTS) retried.push(entry);
        else
          results[entry[0]] = { status: 'failed', error: new Error(error.errmsg ?? 'The row was refused.') };
      }
      left = retried;
    }
    return results;
  }

  async function settleAll(rows: readonly SettledRow[]): Promise<ItemResult<void>[]> {
    const updatedAt = o.clock.now();
    const updates = rows.map(({ accountId, historyId, content }) => ({
      updateOne: {
        filter: { accountId, _id: historyId },
        update: { $set: { ...endOf(content), isSettled: true, updatedAt } },
        // Or the database weighs the indexes that begin with the account against it, for each row.
        hint: '_id_',
      },
    }));
    let matchedCount = 0;
    const writing = collection.bulkWrite(updates, { ordered: false, maxTimeMS: WRITE_TIMEOUT_MS });
    const errors = await bulkErrors(writing.then((result) => (matchedCount = result.matchedCount)));
    const found = matchedCount === rows.length ? undefined : await idsOf(rows);
    return rows.map(({ historyId }, place) => {
      const message = errors.get(place)?.errmsg;
      if (message !== undefined) return { status: 'failed', error: new Error(message) };
      return found?.has(historyId) === false
        ? { status: 'failed', error: new Error(`The history has no row ${historyId}.`) }
        : { status: 'done', value: undefined };
    });
  }

  /** Which of these rows there are: an update tells only how many there were. */
  async function idsOf(rows: readonly SettledRow[]): Promise<ReadonlySet<number>> {
    const accounts = Map.groupBy(rows, ({ accountId }) => accountId);
    const named = [...accounts].map(([accountId, of]) => ({
      accountId,
      _id: { $in: of.map(({ historyId }) => historyId) },
    }));
    const options = { projection: { _id: 1 }, maxTimeMS: WRITE_TIMEOUT_MS };
    const documents = await collection.find({ $or: named }, options).toArray();
    return new Set(documents.map(({ _id }) => _id));
  }

  /** Writes an existing row, in a transaction if it may be counted already. */
  async function write(
    accountId: string,
    historyId: number,
    inGroup: () => Promise<CountedRow | undefined>,
    alone: (session: ClientSession) => Promise<CountedRow | undefined>,
  ): Promise<void> {
    if (o.counts.isLate(historyId)) return o.counts.writeLate(accountId, historyId, alone);
    await countIfLate(accountId, historyId, await inGroup());
  }

  /** A write may have taken long, or this process stood still. */
  async function countIfLate(
    accountId: string,
    historyId: number,
    row: CountedRow | undefined,
  ): Promise<void> {
    if (o.counts.isLate(historyId))
      await o.counts.writeLate(accountId, historyId, () => Promise.resolve(row));
  }

  return {
    async insert(ctx, accountId, record, isSettled) {
      const content = contentOf(record);
      const bytes = bytesOf(content);
      // What has ended is recorded, whoever waits for it and whatever else does.
      const options = isSettled ? { bytes, isUrgent: true } : { bytes, signal: ctx.signal };
      const historyId = await inserts.add({ accountId, content, isSettled }, options);
      await countIfLate(accountId, historyId, content);
      return historyId;
    },
    async settle(accountId, historyId, record) {
      const content = contentOf(record);
      const row = { accountId, historyId, content };
      await write(
        accountId,
        historyId,
        async () => {
          await settlements.add(row, { bytes: bytesOf(content), isUrgent: true });
          return content;
        },
        async (session) => {
          const update = { $set: { ...content, isSettled: true, updatedAt: o.clock.now() } };
          const options = { session, maxTimeMS: WRITE_TIMEOUT_MS };
          const { matchedCount } = await collection.updateOne({ accountId, _id: historyId }, update, options);
          if (matchedCount === 0) throw new Error(`The history has no row ${historyId}.`);
          return content;
        },
      );
    },
    async remove(accountId, historyId) {
      const removed = async (session?: ClientSession): Promise<CountedRow | undefined> => {
        const projection = { toolSlug: 1, connectionId: 1 };
        const options = { ...(session && { session }), projection, maxTimeMS: WRITE_TIMEOUT_MS };
        return (await collection.findOneAndDelete({ accountId, _id: historyId }, options)) ?? undefined;
      };
      await write(accountId, historyId, () => removed(), removed);
    },
    async drain() {
      await Promise.all([inserts.drain(), settlements.drain()]);
    },
  };
}

/**
 * Processes a batch, and again one by one if it failed for a reason that may be one row's, such as one that the driver cannot
 * send. Not if the database is away: each would wait for it.
 */
function isolated<T, R>(
  process: (items: readonly T[]) => Promise<readonly ItemResult<R>[]>,
): (items: readonly T[]) => Promise<readonly ItemResult<R>[]> {
  return async (items) => {
    try {
      return await process(items);
    } catch (error) {
      if (items.length === 1 || error instanceof MongoBulkWriteError || databaseFailure(error) !== undefined)
        throw error;
      const one = (item: T): Promise<ItemResult<R>> =>
        process([item]).then(
          ([result]) => result ?? { status: 'failed', error },
          (reason: unknown) => ({ status: 'failed', error: reason }),
        );
      return await Promise.all(items.map(one));
    }
  };
}

function bytesOf({ fields, output, errorMessage }: RowContent): number {
  return ROW_BYTES + fields.length + (output ?? errorMessage ?? '').length;
}

/** What the end of a call adds to its row. */
function endOf(content: RowContent): Partial<RowContent> {
  const {
    startedAt: _startedAt,
    connectionId: _connectionId,
    connectionResolution: _connectionResolution,
    applicationSlug: _applicationSlug,
    toolSlug: _toolSlug,
    toolVersion: _toolVersion,
    ...end
  } = content;
  return end;
}

function contentOf({ fields, outcome, info, outputMismatch }: ExecutionRecord) {
  return {
    ...info,
    isSuccess: outcome.isSuccess,
    errorMessage: outcome.isSuccess ? null : outcome.errorMessage,
    fields: JSON.stringify(fields),
    output: outcome.isSuccess ? JSON.stringify(outcome.output) : null,
    outputMismatch: outputMismatch.map(({ field, issue }) => ({ field, issue })),
  };
}
