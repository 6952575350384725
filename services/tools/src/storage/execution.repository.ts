import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { CheckpointExtension } from '@fairlead/counts/checkpoint-extension';
import { readPart } from '@fairlead/service-kit/mongo/list-part';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { Execution, ExecutionDay, ExecutionList, StoredOutcome } from '../domain/execution.ts';
import { firstIdOf, IDS_PER_DAY, timeOfId } from '../domain/history-id.ts';
import type { HistoryIds } from '../domain/history-id.ts';
import type { History, HistoryRowKey } from '../ports/history.ts';
import type { ExecutionIntents } from './execution-intents.ts';
import type { ExecutionCounts } from './execution-counts.ts';
import { idRangeOf, selectRows } from './execution-selection.ts';
import type { IdRange, Selection } from './execution-selection.ts';
import { createExecutionWriter } from './execution-writer.ts';
import { executionCollection } from './execution.collection.ts';
import type { ExecutionDocument } from './execution.collection.ts';

/** A page up to this offset is read without waiting for the count. */
const NEAR_OFFSET = 1_000;
/** Maximum number of rows counted individually by day; beyond it, each day is counted by checkpoints. */
const FEW_ROWS = 20_000;

/** The history of executions in Mongo. The unique `_id` resolves collisions between ids of two replicas. */
export function createExecutionRepository(o: {
  readonly store: MongoStore;
  readonly ids: HistoryIds;
  readonly clock: Clock;
  readonly counts: ExecutionCounts;
  readonly intents: ExecutionIntents;
  readonly extension: Pick<CheckpointExtension<Selection>, 'request'>;
}): History {
  const collection = o.store.collection(executionCollection);
  const { counts, intents } = o;

  async function count(ctx: RequestContext, accountId: string, selection: Selection, range: IdRange) {
    const counted = await counts.count(operationOptions(ctx), accountId, selection, range);
    if (counted.isLong) o.extension.request(accountId, selection);
    return counted;
  }

  async function find(
    ctx: RequestContext,
    accountId: string,
    selection: Selection,
    {
      range,
      ...page
    }: {
      readonly range: IdRange;
      readonly skip: number;
      readonly limit: number;
      readonly isRest: boolean;
    },
  ): Promise<Pick<ExecutionList, 'items' | 'next'>> {
    const { query, hint } = selectRows(accountId, selection, range);
    const options = { ...operationOptions(ctx), ...page, sort: { _id: -1 } as const, hint };
    const { documents, cutAfter } = await readPart(collection, query, options);
    return { items: documents.map(executionOf), next: cutAfter?._id.toString() };
  }

  async function countDays(
    ctx: RequestContext,
    accountId: string,
    { from, to }: IdRange,
  ): Promise<ExecutionDay[]> {
    const days: ExecutionDay[] = [];
    for (let day = Math.floor(from / IDS_PER_DAY) * IDS_PER_DAY; day < to; day += IDS_PER_DAY) {
      const range = { from: Math.max(from, day), to: Math.min(to, day + IDS_PER_DAY) };
      const { rows: executionCount } = await count(ctx, accountId, {}, range);
      if (executionCount > 0) days.push({ date: dateOf(day), executionCount });
    }
    return days;
  }

  return {
    ...createExecutionWriter(o),

    async list(ctx, accountId, { filter, page, after }) {
      const { offset, top } = page;
      const period = idRangeOf(filter);
      if (page.after !== undefined) {
        const range = { ...period, to: Math.min(period.to, Number(page.after)) };
        const part = { range, skip: offset, limit: top, isRest: true };
        return { ...(await find(ctx, accountId, filter, part)), totalCount: 0 };
      }
      await intents.show(operationOptions(ctx), accountId);
      const range = { ...period, to: Math.min(period.to, after ?? period.to) };
      if (offset <= NEAR_OFFSET) {
        const [part, { rows }] = await Promise.all([
          find(ctx, accountId, filter, { range, skip: offset, limit: top, isRest: false }),
          count(ctx, accountId, filter, range),
        ]);
        return { ...part, totalCount: rows };
      }
      const { rows, seek } = await count(ctx, accountId, filter, range);
      if (offset >= rows) return { items: [], totalCount: rows };
      const part = await find(ctx, accountId, filter, { ...(await seek(offset)), limit: top, isRest: false });
      return { ...part, totalCount: rows };
    },

    async has(ctx, accountId, { historyId, since, keyId }) {
      const options = { ...operationOptions(ctx), projection: { _id: 1 } };
      return (await collection.findOne(rowOf(accountId, { historyId, since, keyId }), options)) !== null;
    },

    async find(ctx, accountId, row) {
      const read = () => collection.findOne(rowOf(accountId, row), operationOptions(ctx));
      let document = await read();
      if (document === null) {
        await intents.show(operationOptions(ctx), accountId);
        document = await read();
      }
      return document ? executionOf(document) : undefined;
    },

    async countByDay(ctx, accountId, period) {
      await intents.show(operationOptions(ctx), accountId);
      const range = idRangeOf(period);
      const { rows } = await count(ctx, accountId, {}, range);
      if (rows > FEW_ROWS) return countDays(ctx, accountId, range);
      const { query, hint } = selectRows(accountId, {}, range);
      const day = { $floor: { $divide: ['$_id', IDS_PER_DAY] } };
      const days = await collection
        .aggregate<{ readonly _id: number; readonly executionCount: number }>(
          [{ $match: query }, { $group: { _id: day, executionCount: { $sum: 1 } } }],
          { ...operationOptions(ctx), hint },
        )
        .toArray();
      return days.map(({ _id, executionCount }) => ({ date: dateOf(_id * IDS_PER_DAY), executionCount }));
    },
  };
}

function rowOf(accountId: string, { historyId, since, keyId }: HistoryRowKey) {
  const _id = { $eq: historyId, $gte: firstIdOf(since) };
  return { _id, accountId, ...(keyId !== undefined && { keyId }) };
}

/** The UTC day of an id, as `YYYY-MM-DD`. */
function dateOf(historyId: number): string {
  return timeOfId(historyId).toISOString().slice(0, 10);
}

/** Decodes a row. */
export function executionOf(document: ExecutionDocument): Execution {
  const { _id, startedAt, durationMs, attempts, connectionId, connectionResolution } = document;
  const { applicationSlug, toolSlug, toolVersion, keyId, updatedAt } = document;
  const { userId = null, source = 'rest', mcpServerName = null } = document;
  return {
    historyId: _id,
    fields: lazyObject(document.fields),
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
      userId,
      source,
      mcpServerName,
      ...(keyId !== undefined && { keyId }),
    },
    createdAt: timeOfId(_id),
    updatedAt,
  };
}

function outcomeOf({ isSuccess, errorMessage, output }: ExecutionDocument): StoredOutcome {
  if (isSuccess) return { isSuccess, output: lazyObject(output ?? '{}') };
  return { isSuccess, errorMessage: errorMessage ?? '' };
}

function lazyObject(text: string): LazyJson {
  return new LazyJson(Buffer.from(text));
}
