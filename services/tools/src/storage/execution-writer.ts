import { createBatcher } from '@fairlead/service-kit/batch/batcher';
import type { BatchLimits, ItemResult } from '@fairlead/service-kit/batch/batcher';
import type { Clock } from '@fairlead/service-kit/clock';
import { bulkErrors, DUPLICATE_KEY } from '@fairlead/service-kit/mongo/write-errors';
import { databaseFailure } from '@fairlead/service-kit/mongo/database-errors';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { MongoBulkWriteError } from 'mongodb';
import type { ClientSession, Filter } from 'mongodb';
import type { HistoryIds } from '../domain/history-id.ts';
import type { History } from '../ports/history.ts';
import type { IntentRef, ExecutionIntents, NewCall } from './execution-intents.ts';
import type { ExecutionCounts } from './execution-counts.ts';
import { bytesOf, contentOf, endOf, rowOf } from './execution-row.ts';
import type { RowContent } from './execution-row.ts';
import { executionCollection } from './execution.collection.ts';
import type { ExecutionDocument } from './execution.collection.ts';

/**
 * Maximum number of id collisions; far more than the replicas that collide in one millisecond. On retry the clock has reached another range
 * of ids.
 */
const MAX_ID_ATTEMPTS = 50;
/** Batches have no deadline: callers leave at their own, and outcomes and removals are written anyway. */
const WRITE_TIMEOUT_MS = 5_000;

/** Maximum number of outcomes written individually at once; each uses a database connection. */
const ALONE_AT_ONCE = 4;

const LIMITS: BatchLimits = {
  itemsPerBatch: 500,
  bytesPerBatch: 8 * 1024 * 1024,
  waitingItems: 10_000,
  waitingBytes: 64 * 1024 * 1024,
  batches: 4,
  slowMs: 100,
  rest: { ms: 10, afterItems: 3, timesTaken: 2 },
};
interface NewIntent extends NewCall {
  readonly kind: 'intent';
}

interface NewRow {
  readonly kind: 'new';
  readonly accountId: string;
  readonly content: RowContent;
  readonly isSettled: boolean;
  /** The call's intent; the row gets its id, unless another row has it. */
  readonly intent?: IntentRef;
}

interface RowResult {
  readonly kind: 'settled';
  readonly accountId: string;
  readonly historyId: number;
  readonly content: RowContent;
  /** The call's intent, if its row exists only because a reader created it. */
  readonly begunIn?: number;
}

type Write = NewIntent | NewRow | RowResult;
/** The result of a write; without `begunIn`: a row was written. */
interface WriteResult {
  readonly historyId: number;
  readonly begunIn?: number;
  /** Nothing was written: another call's row has the id, or the call has no row with it. */
  readonly isElsewhere?: true;
}

/**
 * Writes the history by group commit (ADR 41). One write of intents and one of rows are in progress; items that arrive meanwhile go into
 * the next two. Both are sent together to share journal flushes. Each is majority and journaled, and each item succeeds or fails
 * individually.
 */
export function createExecutionWriter(o: {
  readonly store: MongoStore;
  readonly ids: HistoryIds;
  readonly clock: Clock;
  readonly counts: Pick<ExecutionCounts, 'changing'>;
  readonly intents: Omit<ExecutionIntents, 'show'>;
}): Pick<History, 'insert' | 'begin' | 'settle' | 'remove' | 'drain'> {
  const collection = o.store.collection(executionCollection);
  const writes = createBatcher<Write, WriteResult>({ limits: LIMITS, process: writeAll });
  /** Running calls of this process, by id. */
  const running = new Map<number, IntentRef & { readonly accountId: string }>();
  /** Outcomes being written, one group after another. */
  const ending = new Set<Promise<unknown>>();
  const chains = Array.from({ length: ALONE_AT_ONCE }, () => Promise.resolve<unknown>(undefined));
  let chain = 0;

  /** Removes the call from the running ones; returns its intent if it runs in this process. */
  function stopRunning(accountId: string, historyId: number): IntentRef | undefined {
    const intent = running.get(historyId);
    if (intent?.accountId !== accountId) return undefined;
    running.delete(historyId);
    return intent;
  }

  async function writeAll(items: readonly Write[]): Promise<readonly ItemResult<WriteResult>[]> {
    const [intents, inserted, updated] = await Promise.all([
      eachFailing(
        isolated(o.intents.insert),
        items.filter((item) => item.kind === 'intent'),
      ),
      eachFailing(
        isolated(insertAll),
        items.filter((item) => item.kind === 'new'),
      ),
      eachFailing(
        isolated(settleAll),
        items.filter((item) => item.kind === 'settled'),
      ),
    ]);
    const results = { intent: intents.values(), new: inserted.values(), settled: updated.values() };
    return items.map(({ kind }) => results[kind].next().value ?? NO_RESULT);
  }

  /**
   * Inserts the rows. A row whose id is taken gets its next id and is inserted again, unless a reader may have created a row for its call.
   */
  async function insertAll(rows: readonly NewRow[]): Promise<ItemResult<WriteResult>[]> {
    const results: ItemResult<WriteResult>[] = [];
    let left = [...rows.entries()];
    for (let attempt = 1; left.length > 0; attempt += 1) {
      const now = o.clock.now();
      const documents = left.map(([, { accountId, content, isSettled, intent }]) => {
        const row = { accountId, content, isSettled, updatedAt: now };
        return intent === undefined
          ? rowOf(o.ids.next(now), row)
          : rowOf(intent.historyId, { ...row, begunIn: intent.begunIn });
      });
      const errors = await bulkErrors(
        collection.insertMany(documents, { ordered: false, maxTimeMS: WRITE_TIMEOUT_MS }),
      );
      const retried: typeof left = [];
      for (const [place, entry] of left.entries()) {
        const error = errors.get(place);
        const historyId = documents[place]?._id ?? 0;
        const [index, { intent }] = entry;
        if (error === undefined) results[index] = { status: 'done', value: { historyId } };
        else if (error.code === DUPLICATE_KEY && intent !== undefined)
          results[index] = { status: 'done', value: { historyId, isElsewhere: true } };
        else if (error.code === DUPLICATE_KEY && attempt < MAX_ID_ATTEMPTS) retried.push(entry);
        else results[index] = { status: 'failed', error: new Error(error.errmsg ?? 'The row was refused.') };
      }
      left = retried;
    }
    return results;
  }

  /**
   * Writes the outcome of a call of this process, and returns its row's id: as a new row; if a reader has created the row, as an update of
   * it; if neither is possible, individually outside of the groups. So ending many calls that were read takes two writes.
   */
  async function endCall(
    accountId: string,
    intent: IntentRef,
    content: RowContent,
    options: { readonly bytes: number; readonly isUrgent: true },
  ): Promise<WriteResult> {
    const row = { accountId, content };
    const inserted = await writes.add({ kind: 'new', ...row, isSettled: true, intent }, options);
    if (inserted.isElsewhere === undefined) return inserted;
    const settled = await writes.add({ kind: 'settled', ...row, ...intent }, options);
    if (settled.isElsewhere === undefined) return settled;
    chain = (chain + 1) % chains.length;
    const ended = (chains[chain] ?? Promise.resolve()).then(() =>
      o.store.withTransaction((session) => endAlone(session, accountId, intent, content)),
    );
    chains[chain] = ended.catch(() => undefined);
    return { historyId: await ended };
  }

  /** Writes the outcome of a call of this process, even if its id was used by another replica; returns the id of its row. */
  async function endAlone(
    session: ClientSession,
    accountId: string,
    intent: IntentRef,
    content: RowContent,
  ): Promise<number> {
    const { historyId, begunIn } = intent;
    const updatedAt = o.clock.now();
    const update = { $set: { ...endOf(content), isSettled: true, updatedAt } };
    const options = { session, maxTimeMS: WRITE_TIMEOUT_MS };
    const { matchedCount } = await collection.updateOne(
      { accountId, _id: historyId, begunIn },
      update,
      options,
    );
    if (matchedCount > 0) return historyId;
    if (await o.intents.take(accountId, intent, session)) {
      const holder = await collection.findOne({ _id: historyId }, { ...options, projection: { _id: 1 } });
      // Another replica may have used the id for another call.
      const _id = holder === null ? historyId : o.ids.next(updatedAt);
      const row = rowOf(_id, { accountId, content, isSettled: true, begunIn, updatedAt });
      await collection.insertOne(row, { session });
      return _id;
    }
    const elsewhere = await collection.findOneAndUpdate(rowOfOtherReplica(accountId, intent), update, {
      ...options,
      hint: OF_ACCOUNT,
      projection: { _id: 1 },
    });
    if (elsewhere === null) throw new Error(`The history has no row ${historyId}.`);
    return elsewhere._id;
  }

  /** Removes the row of a refused call, but never another call's row with the same id. */
  async function removeRow(
    accountId: string,
    historyId: number,
    intent: IntentRef | undefined,
  ): Promise<void> {
    const options = { maxTimeMS: WRITE_TIMEOUT_MS };
    const own = { accountId, _id: historyId, ...(intent !== undefined && { begunIn: intent.begunIn }) };
    const { deletedCount } = await collection.deleteOne(own, options);
    if (deletedCount === 0 && intent !== undefined)
      await collection.deleteOne(rowOfOtherReplica(accountId, intent), { ...options, hint: OF_ACCOUNT });
  }

  async function settleAll(rows: readonly RowResult[]): Promise<ItemResult<WriteResult>[]> {
    const updatedAt = o.clock.now();
    const updates = rows.map(({ accountId, historyId, content, begunIn }) => ({
      // For a single row: the database stores a record of each updateOne, for driver retries (ADR 41).
      updateMany: {
        filter: { accountId, _id: historyId, ...(begunIn !== undefined && { begunIn }) },
        update: { $set: { ...endOf(content), isSettled: true, updatedAt } },
        // Without the hint the database would consider the indexes that begin with the account, for each row.
        hint: '_id_',
      },
    }));
    let matchedCount = 0;
    const write = async (): Promise<void> => {
      const result = await collection.bulkWrite(updates, { ordered: false, maxTimeMS: WRITE_TIMEOUT_MS });
      ({ matchedCount } = result);
    };
    // Retried here instead of by the driver: the update is idempotent.
    const errors = await bulkErrors(write()).catch((error: unknown) => {
      if (databaseFailure(error) !== 'unavailable') throw error;
      return bulkErrors(write());
    });
    const found = matchedCount === rows.length ? undefined : await settledOf(rows);
    return rows.map(({ accountId, historyId, begunIn }, place) => {
      const message = errors.get(place)?.errmsg;
      if (message !== undefined) return { status: 'failed', error: new Error(message) };
      const row = found?.get(historyId);
      const isOwn = row?.accountId === accountId && (begunIn === undefined || row.begunIn === begunIn);
      if (found === undefined || isOwn) return { status: 'done', value: { historyId } };
      return begunIn === undefined
        ? { status: 'failed', error: new Error(`The history has no row ${historyId}.`) }
        : { status: 'done', value: { historyId, isElsewhere: true } };
    });
  }

  /** The settled ones among these rows, by id: an update only returns how many there were. */
  async function settledOf(
    rows: readonly RowResult[],
  ): Promise<ReadonlyMap<number, Pick<ExecutionDocument, 'accountId' | 'begunIn'>>> {
    const accounts = Map.groupBy(rows, ({ accountId }) => accountId);
    const named = [...accounts].map(([accountId, of]) => ({
      accountId,
      _id: { $in: of.map(({ historyId }) => historyId) },
      isSettled: true,
    }));
    const options = { projection: { accountId: 1, begunIn: 1 }, maxTimeMS: WRITE_TIMEOUT_MS };
    const documents = await collection.find({ $or: named }, options).toArray();
    return new Map(documents.map((document) => [document._id, document]));
  }

  return {
    async insert(ctx, accountId, record, isSettled) {
      const content = contentOf(record);
      const bytes = bytesOf(content);
      // Written even if nobody waits for it and other writes fail.
      const options = isSettled ? { bytes, isUrgent: true } : { bytes, signal: ctx.signal };
      const { historyId } = await writes.add({ kind: 'new', accountId, content, isSettled }, options);
      // The write may have taken long, or this process was halted.
      await o.counts.changing([{ accountId, id: historyId }], () => Promise.resolve());
      return historyId;
    },
    async begin(ctx, accountId, record) {
      const content = contentOf(record);
      const options = { bytes: bytesOf(content), signal: ctx.signal };
      const { historyId, begunIn } = await writes.add({ kind: 'intent', accountId, content }, options);
      if (begunIn === undefined) throw new TypeError('An intent has no document.');
      running.set(historyId, { accountId, historyId, begunIn });
      return historyId;
    },
    async settle(accountId, historyId, record) {
      const content = contentOf(record);
      const intent = stopRunning(accountId, historyId);
      const options = { bytes: bytesOf(content), isUrgent: true } as const;
      const end = o.counts.changing([{ accountId, id: historyId }], () =>
        intent === undefined
          ? writes.add({ kind: 'settled', accountId, historyId, content }, options)
          : endCall(accountId, intent, content, options),
      );
      ending.add(end);
      const written = await end.finally(() => ending.delete(end));
      if (intent !== undefined) o.intents.end(accountId, intent);
      return written.historyId;
    },
    async remove(accountId, historyId) {
      const intent = stopRunning(accountId, historyId);
      const isShown = intent === undefined || !(await o.intents.take(accountId, intent));
      if (isShown)
        await o.counts.changing([{ accountId, id: historyId }], () =>
          removeRow(accountId, historyId, intent),
        );
      if (intent !== undefined) o.intents.end(accountId, intent);
    },
    async drain() {
      await Promise.allSettled([writes.drain(), ...ending]);
      await o.intents.drain();
    },
  };
}

/** The index used by `rowOfOtherReplica`. */
const OF_ACCOUNT = { accountId: 1, isSuccess: 1, _id: -1 } as const;

/** The row that a reader created for a call whose id another replica had already used. */
function rowOfOtherReplica(accountId: string, { historyId, begunIn }: IntentRef): Filter<ExecutionDocument> {
  return { accountId, isSuccess: false, _id: { $gte: begunIn }, begunIn, begunAs: historyId };
}

const NO_RESULT: ItemResult<never> = { status: 'failed', error: new Error('A row has no result.') };

/** The results of a batch; if it fails as a whole, each item fails. */
async function eachFailing<T, R>(
  process: (items: readonly T[]) => Promise<readonly ItemResult<R>[]>,
  items: readonly T[],
): Promise<readonly ItemResult<R>[]> {
  if (items.length === 0) return [];
  return await process(items).catch((error: unknown) => items.map(() => ({ status: 'failed', error })));
}

/**
 * Writes a batch; if it fails for a reason that may concern a single row, such as one that the driver cannot send, writes its items
 * individually. Not if the database is unavailable: each would wait for it.
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
