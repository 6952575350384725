import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { systemTimers } from '@fairlead/service-kit/timers';
import { firstIdOf, timeOfId } from '../domain/history-id.ts';
import type { HistoryIds } from '../domain/history-id.ts';
import { executionIntentCollection } from '../storage/execution-intent.collection.ts';
import { createExecutionIntents } from '../storage/execution-intents.ts';
import {
  executionCheckpointCollection,
  executionCountStateCollection,
} from '../storage/execution-checkpoint.collection.ts';
import { createExecutionCounts } from '../storage/execution-counts.ts';
import { executionCollection } from '../storage/execution.collection.ts';
import type { Selection } from '../storage/execution-selection.ts';
import type { ExecutionDocument } from '../storage/execution.collection.ts';
import { createExecutionRepository } from '../storage/execution.repository.ts';
import { executionRecord } from './executions.ts';

/** The history's collections. */
export const historyCollections = [
  executionCollection,
  executionIntentCollection,
  executionCheckpointCollection,
  executionCountStateCollection,
];

const LOADED_AT_ONCE = 5_000;

/** Stores `count` settled rows of an account, evenly spread over a period, oldest first; returns their ids. */
export async function loadExecutions(
  store: Pick<MongoStore, 'collection'>,
  accountId: string,
  { count, from, to }: { readonly count: number; readonly from: Date; readonly to: Date },
  rowOf: (index: number) => Pick<ExecutionDocument, 'toolSlug' | 'connectionId' | 'keyId' | 'isSuccess'>,
): Promise<readonly number[]> {
  const [first, end] = [firstIdOf(from), firstIdOf(to)];
  const ids = Array.from(
    { length: count },
    (_, index) => first + Math.floor(((end - first) * index) / count),
  );
  for (let loaded = 0; loaded < count; loaded += LOADED_AT_ONCE)
    await store.collection(executionCollection).insertMany(
      ids.slice(loaded, loaded + LOADED_AT_ONCE).map((_id, index) => {
        const row = rowOf(loaded + index);
        const createdAt = timeOfId(_id);
        // As rows of earlier releases, without later members.
        const {
          keyId: _key,
          userId: _user,
          source: _source,
          mcpServerName: _server,
          ...info
        } = executionRecord().info;
        return {
          ...info,
          _id,
          accountId,
          ...row,
          isSettled: true,
          errorMessage: row.isSuccess ? null : 'No.',
          fields: '{"name":"Ada"}',
          output: row.isSuccess ? JSON.stringify({ id: _id, name: 'Ada' }) : null,
          outputMismatch: [],
          startedAt: createdAt,
          createdAt,
          updatedAt: createdAt,
        };
      }),
      { ordered: false },
    );
  return ids;
}

/** The history of one replica. Checkpoints are added only when the test says so; `requested` are the requested ones. */
export function historyStorage(o: {
  readonly store: MongoStore;
  readonly ids: HistoryIds;
  readonly clock: Clock;
  readonly rowsPerCheckpoint?: number;
}) {
  const counts = createExecutionCounts(o);
  const requested: Selection[] = [];
  const extension = {
    request: (_accountId: string, { toolSlug, connectionId }: Selection) =>
      void requested.push({ toolSlug, connectionId }),
  };
  const { log } = captureLog('silent');
  const intents = createExecutionIntents({ ...o, counts, timers: systemTimers, log });
  const repository = createExecutionRepository({ ...o, counts, intents, extension });
  return { counts, requested, intents, repository };
}
