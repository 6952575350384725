import type { JsonObject } from '@fairlead/connector-model/model';
import type { Clock } from '@fairlead/service-kit/clock';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { MongoServerError } from 'mongodb';
import type { Filter } from 'mongodb';
import type {
  Execution,
  ExecutionDay,
  ExecutionFilter,
  ExecutionRecord,
  Outcome,
} from '../domain/execution.ts';
import type { HistoryIds } from '../domain/history-id.ts';
import type { History } from '../ports/history.ts';
import { executionCollection } from './execution.collection.ts';
import type { ExecutionDocument } from './execution.collection.ts';

const DUPLICATE_KEY = 11_000;
/** Far more than replicas that meet in one millisecond: a retry finds the clock moved on, and so another range of ids. */
const MAX_ID_ATTEMPTS = 50;
/** For the end of a row, which is written, or the row removed, whatever became of the request. */
const SETTLE_TIMEOUT_MS = 5_000;

const DAY_OF_CREATION = { $dateTrunc: { date: '$createdAt', unit: 'day' } };
const DAY_TEXT = { $dateToString: { date: '$_id', format: '%Y-%m-%d' } };

/** The history of executions in Mongo. Ids that two replicas made at once are told apart by the unique `_id`. */
export function createExecutionRepository(o: {
  readonly store: MongoStore;
  readonly ids: HistoryIds;
  readonly clock: Clock;
}): History {
  const collection = o.store.collection(executionCollection);

  return {
    async insert(ctx, accountId, record, isSettled) {
      const { maxTimeMS } = operationOptions(ctx);
      for (let attempt = 1; ; attempt += 1) {
        const now = o.clock.now();
        const historyId = o.ids.next(now);
        const document = {
          _id: historyId,
          accountId,
          ...documentOf(record),
          isSettled,
          createdAt: now,
          updatedAt: now,
        };
        try {
          await collection.insertOne(document, maxTimeMS === undefined ? {} : { maxTimeMS });
          return historyId;
        } catch (error) {
          const isTaken = error instanceof MongoServerError && error.code === DUPLICATE_KEY;
          if (!isTaken || attempt === MAX_ID_ATTEMPTS) throw error;
        }
      }
    },

    async settle(accountId, historyId, record) {
      const { matchedCount } = await collection.updateOne(
        { _id: historyId, accountId },
        { $set: { ...documentOf(record), isSettled: true, updatedAt: o.clock.now() } },
        { maxTimeMS: SETTLE_TIMEOUT_MS },
      );
      if (matchedCount === 0) throw new Error(`The history has no row ${historyId}.`);
    },

    async remove(accountId, historyId) {
      await collection.deleteOne({ accountId, _id: historyId }, { maxTimeMS: SETTLE_TIMEOUT_MS });
    },

    async list(ctx, accountId, { filter, page }) {
      const query = listQuery(accountId, filter);
      const options = operationOptions(ctx);
      const [documents, totalCount] = await Promise.all([
        collection
          .find(query, options)
          .sort({ createdAt: -1, _id: -1 })
          .skip(page.offset)
          .limit(page.top)
          .toArray(),
        collection.countDocuments(query, options),
      ]);
      return { items: documents.map(executionOf), totalCount };
    },

    async find(ctx, accountId, historyId, since) {
      const document = await collection.findOne(
        { _id: historyId, accountId, createdAt: { $gte: since } },
        operationOptions(ctx),
      );
      return document ? executionOf(document) : undefined;
    },

    async countByDay(ctx, accountId, { from, to }) {
      // From the keys of this index alone: all others would read keys in vain, or documents.
      const options = { ...operationOptions(ctx), hint: 'account' };
      return await collection
        .aggregate<ExecutionDay>(
          [
            { $match: { accountId, createdAt: { $gte: from, $lt: to } } },
            { $group: { _id: DAY_OF_CREATION, executionCount: { $sum: 1 } } },
            { $project: { _id: 0, date: DAY_TEXT, executionCount: 1 } },
          ],
          options,
        )
        .toArray();
    },
  };
}

/** The condition of a list. Exported for the test that explains it. */
export function listQuery(
  accountId: string,
  filter: ExecutionFilter & { readonly from: Date },
): Filter<ExecutionDocument> {
  const { toolSlug, connectionId, isSuccess, from, to } = filter;
  return {
    accountId,
    ...(toolSlug === undefined ? {} : { toolSlug }),
    ...(connectionId === undefined ? {} : { connectionId }),
    ...(isSuccess === undefined ? {} : { isSuccess }),
    createdAt: { $gte: from, ...(to ? { $lt: to } : {}) },
  };
}

function documentOf({ fields, outcome, info, outputMismatch }: ExecutionRecord) {
  return {
    ...info,
    isSuccess: outcome.isSuccess,
    errorMessage: outcome.isSuccess ? null : outcome.errorMessage,
    fields: JSON.stringify(fields),
    output: outcome.isSuccess ? JSON.stringify(outcome.output) : null,
    outputMismatch: outputMismatch.map(({ field, issue }) => ({ field, issue })),
  };
}

/** The row that a document holds. */
export function executionOf(document: ExecutionDocument): Execution {
  const { _id, startedAt, durationMs, attempts, connectionId, connectionResolution } = document;
  const { applicationSlug, toolSlug, toolVersion, createdAt, updatedAt } = document;
  return {
    historyId: _id,
    fields: objectOf(document.fields),
    outcome: outcomeOf(document),
    info: {
      startedAt,
      durationMs,
      connectionId,
      connectionResolution,
      applicationSlug,
      toolSlug,
      toolVersion,
      attempts,
    },
    createdAt,
    updatedAt,
  };
}

function outcomeOf({ isSuccess, errorMessage, output }: ExecutionDocument): Outcome {
  if (isSuccess) return { isSuccess, output: objectOf(output ?? '{}') };
  return { isSuccess, errorMessage: errorMessage ?? '' };
}

function objectOf(text: string): JsonObject {
  // documentOf wrote it from a JsonObject.
  return JSON.parse(text) as JsonObject;
}
