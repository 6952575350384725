import type { ItemResult } from '@fairlead/service-kit/batch/batcher';
import type { Clock } from '@fairlead/service-kit/clock';
import { bulkErrors, DUPLICATE_KEY, isDuplicateKey } from '@fairlead/service-kit/mongo/write-errors';
import type { MongoStore, OperationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import type { ClientSession } from 'mongodb';
import { timeOfId } from '../domain/history-id.ts';
import type { HistoryIds } from '../domain/history-id.ts';
import { executionIntentCollection } from './execution-intent.collection.ts';
import type { IntendedCall, ExecutionIntentDocument } from './execution-intent.collection.ts';
import type { ExecutionCounts } from './execution-counts.ts';
import { bytesOf, rowOf } from './execution-row.ts';
import type { RowContent } from './execution-row.ts';
import { executionCollection } from './execution.collection.ts';
import type { ExecutionDocument } from './execution.collection.ts';

/** Equal to the limit in storage/execution-writer.ts. */
const MAX_ID_ATTEMPTS = 50;
const WRITE_TIMEOUT_MS = 5_000;
/** Documents whose calls have ended are removed in batches. Until then readers match them with their rows. */
const REMOVE_AFTER_MS = 500;
const REMOVED_AT_ONCE = 100;
/** Longer than any call: the process that started these calls has died, or has written their outcomes. */
const STALE_MS = 10 * 60_000;

/** Maximum content of the rows created by one transaction, if they are from several documents. */
const SHOWN_BYTES = 4 * 1024 * 1024;

/** A call that is about to start. */
export interface NewCall {
  readonly accountId: string;
  readonly content: RowContent;
}

/** Ids of an intent and of its document. */
export interface IntentRef {
  readonly historyId: number;
  /** Id of the document. */
  readonly begunIn: number;
}

/**
 * Execution intents. Intents of an account that are written together share one document, so that they cost about as much as one row. A
 * call's row is written when it ends. When the account's history is read, calls without rows get one: they are running, or their process
 * has died (ADR 41).
 */
export interface ExecutionIntents {
  /** Writes intents with majority concern, journaled; one result per call. */
  insert(calls: readonly NewCall[]): Promise<readonly ItemResult<IntentRef>[]>;
  /** Records that one of the calls has its row, or was refused; the document is removed once this is true of all its calls. */
  end(accountId: string, intent: IntentRef): void;
  /** Removes a call from its document; false: a reader has already created its row, or it was removed before. */
  take(accountId: string, intent: IntentRef, session?: ClientSession): Promise<boolean>;
  /** Creates rows for the account's calls without one. */
  show(options: Partial<OperationOptions>, accountId: string): Promise<void>;
  /** Removes ended documents. For shutdown. */
  drain(): Promise<void>;
}

/** The intents in a store. */
export function createExecutionIntents(o: {
  readonly store: MongoStore;
  readonly ids: HistoryIds;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  readonly counts: Pick<ExecutionCounts, 'changing'>;
}): ExecutionIntents {
  const collection = o.store.collection(executionIntentCollection);
  const executions = o.store.collection(executionCollection);
  /** Number of unended calls, per document of this process. */
  const left = new Map<number, number>();
  let ended: { readonly accountId: string; readonly begunIn: number }[] = [];
  let removal: { cancel(): void } | undefined;
  let removing = Promise.resolve();

  function documentOf(calls: readonly NewCall[], accountId: string, now: Date): ExecutionIntentDocument {
    const intended = calls.map(({ content }) => ({ historyId: o.ids.next(now), row: content }));
    const _id = intended[0]?.historyId ?? 0;
    return { _id, accountId, calls: intended, createdAt: timeOfId(_id) };
  }

  async function remove(): Promise<void> {
    const documents = Map.groupBy(ended.splice(0), ({ accountId }) => accountId);
    if (documents.size === 0) return;
    const removals = [...documents].map(([accountId, of]) => ({
      deleteMany: { filter: { accountId, _id: { $in: of.map(({ begunIn }) => begunIn) } } },
    }));
    // Best effort: if it fails, a reader finds rows for all calls, and nothing to do.
    const options = { ordered: false, writeConcern: { w: 1 }, maxTimeMS: WRITE_TIMEOUT_MS };
    await collection
      .bulkWrite(removals, options)
      .catch((error: unknown) => o.log.warn({ err: error }, 'intents of ended calls were not removed'));
  }

  function removeSoon(): void {
    removal?.cancel();
    removal = undefined;
    removing = removing.then(remove);
  }

  async function take(
    accountId: string,
    { historyId, begunIn }: IntentRef,
    session?: ClientSession,
  ): Promise<boolean> {
    const { modifiedCount } = await collection.updateOne(
      { accountId, _id: begunIn, 'calls.historyId': historyId },
      { $pull: { calls: { historyId } } },
      { ...(session && { session }), maxTimeMS: WRITE_TIMEOUT_MS },
    );
    return modifiedCount > 0;
  }

  /** Creates rows for calls found in these documents and removes the calls from them, except for calls that have ended meanwhile. */
  async function move(
    session: ClientSession,
    accountId: string,
    found: readonly ExecutionIntentDocument[],
  ): Promise<void> {
    const filter = { accountId, _id: { $in: found.map(({ _id }) => _id) } };
    const present = await collection.find(filter, { session, hint: '_id_' }).toArray();
    const calls = found.flatMap(({ _id: begunIn, calls: candidates }) => {
      const left = new Set(
        present.find(({ _id }) => _id === begunIn)?.calls.map(({ historyId }) => historyId),
      );
      return candidates.filter(({ historyId }) => left.has(historyId)).map((call) => ({ ...call, begunIn }));
    });
    if (calls.length === 0) return;
    // If a document has changed since it was read, the transaction is retried.
    const pulls = [...Map.groupBy(calls, ({ begunIn }) => begunIn)].map(([_id, of]) => ({
      updateOne: {
        filter: { accountId, _id },
        update: { $pull: { calls: { historyId: { $in: of.map(({ historyId }) => historyId) } } } },
      },
    }));
    await collection.bulkWrite(pulls, { session });
    const ids = calls.map(({ historyId }) => historyId);
    const holders = await executions
      .find({ _id: { $in: ids } }, { session, projection: { accountId: 1, begunIn: 1 } })
      .toArray();
    const rows = rowsOf(accountId, calls, holders);
    if (rows.length > 0) await executions.insertMany(rows, { session });
  }

  /** The rows to add for calls that have no row yet; `holders` are the rows that already have these calls' ids. */
  function rowsOf(
    accountId: string,
    calls: readonly (IntendedCall & Pick<IntentRef, 'begunIn'>)[],
    holders: readonly Pick<ExecutionDocument, '_id' | 'accountId' | 'begunIn'>[],
  ): ExecutionDocument[] {
    const now = o.clock.now();
    const byId = new Map(holders.map((holder) => [holder._id, holder]));
    return calls.flatMap(({ historyId, begunIn, row: content }) => {
      const holder = byId.get(historyId);
      if (holder?.accountId === accountId && holder.begunIn === begunIn) return [];
      // Another replica has used the id for another call.
      const _id = holder === undefined ? historyId : o.ids.next(now);
      byId.set(_id, { _id, accountId, begunIn });
      return [
        rowOf(_id, { accountId, content, isSettled: false, begunIn, begunAs: historyId, updatedAt: now }),
      ];
    });
  }

  /** Creates rows for these calls in one transaction. */
  async function showCalls(accountId: string, found: readonly ExecutionIntentDocument[]): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await o.store.withTransaction((session) => move(session, accountId, found));
      } catch (error) {
        // The next id may also be used by another replica.
        const isTaken = isDuplicateKey(error);
        if (!isTaken || attempt === MAX_ID_ATTEMPTS) throw error;
      }
    }
  }

  return {
    take,

    async insert(calls) {
      const results: ItemResult<IntentRef>[] = [];
      let groups = [...Map.groupBy(calls.entries(), ([, { accountId }]) => accountId)];
      for (let attempt = 1; groups.length > 0; attempt += 1) {
        const now = o.clock.now();
        const documents = groups.map(([accountId, entries]) =>
          documentOf(
            entries.map(([, call]) => call),
            accountId,
            now,
          ),
        );
        const errors = await bulkErrors(
          collection.insertMany(documents, { ordered: false, maxTimeMS: WRITE_TIMEOUT_MS }),
        );
        const retried: typeof groups = [];
        for (const [place, group] of groups.entries()) {
          const error = errors.get(place);
          const document = documents[place];
          if (error?.code === DUPLICATE_KEY && attempt < MAX_ID_ATTEMPTS) retried.push(group);
          else if (error !== undefined || document === undefined) {
            const reason = new Error(error?.errmsg ?? 'The intent was refused.');
            for (const [index] of group[1]) results[index] = { status: 'failed', error: reason };
          } else {
            left.set(document._id, document.calls.length);
            for (const [at, [index]] of group[1].entries()) {
              const historyId = document.calls[at]?.historyId ?? 0;
              results[index] = { status: 'done', value: { historyId, begunIn: document._id } };
            }
          }
        }
        groups = retried;
      }
      return results;
    },

    end(accountId, { begunIn }) {
      const others = (left.get(begunIn) ?? 0) - 1;
      if (others > 0) {
        left.set(begunIn, others);
        return;
      }
      left.delete(begunIn);
      ended.push({ accountId, begunIn });
      if (ended.length >= REMOVED_AT_ONCE) removeSoon();
      else removal ??= o.timers.after(REMOVE_AFTER_MS, removeSoon);
    },

    async show(options, accountId) {
      const documents = await collection.find({ accountId }, { ...options, hint: 'of_account' }).toArray();
      if (documents.length === 0) return;
      const ids = documents.flatMap(({ calls }) => calls.map(({ historyId }) => historyId));
      const found = await executions
        .find({ accountId, _id: { $in: ids } }, { ...options, hint: '_id_', projection: { begunIn: 1 } })
        .toArray();
      const rows = new Map(found.map(({ _id, begunIn }) => [_id, begunIn]));
      const staleBefore = o.clock.now().getTime() - STALE_MS;
      const stale: number[] = [];
      const left: ExecutionIntentDocument[] = [];
      for (const document of documents) {
        const calls = document.calls.filter(({ historyId }) => rows.get(historyId) !== document._id);
        if (calls.length > 0) left.push({ ...document, calls });
        else if (document.createdAt.getTime() < staleBefore) stale.push(document._id);
      }
      for (const some of parts(left)) {
        const changed = some.flatMap(({ calls }) =>
          calls.map(({ historyId }) => ({ accountId, id: historyId })),
        );
        await o.counts.changing(changed, () => showCalls(accountId, some));
      }
      if (stale.length > 0) await collection.deleteMany({ accountId, _id: { $in: stale } });
    },

    async drain() {
      removeSoon();
      await removing;
    },
  };
}

/** Groups of documents for one transaction each; every document was a single write before. */
function* parts(
  documents: readonly ExecutionIntentDocument[],
): Generator<readonly ExecutionIntentDocument[]> {
  let part: ExecutionIntentDocument[] = [];
  let bytes = 0;
  for (const document of documents) {
    const size = document.calls.reduce((sum, { row }) => sum + bytesOf(row), 0);
    if (part.length > 0 && bytes + size > SHOWN_BYTES) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(document);
    bytes += size;
  }
  if (part.length > 0) yield part;
}
