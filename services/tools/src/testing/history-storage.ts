import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { HistoryIds } from '../domain/history-id.ts';
import {
  executionCheckpointCollection,
  executionCountStateCollection,
} from '../storage/execution-checkpoint.collection.ts';
import { createExecutionCounts } from '../storage/execution-counts.ts';
import type { Counted } from '../storage/execution-counts.ts';
import { executionCollection } from '../storage/execution.collection.ts';
import { createExecutionRepository } from '../storage/execution.repository.ts';

/** The collections of the history. */
export const historyCollections = [
  executionCollection,
  executionCheckpointCollection,
  executionCountStateCollection,
];

/** The history as one replica stores it. Checkpoints are added when the test says so; `requested` are those that were asked for. */
export function historyStorage(o: {
  readonly store: MongoStore;
  readonly ids: HistoryIds;
  readonly clock: Clock;
  readonly rowsPerCheckpoint?: number;
}) {
  const counts = createExecutionCounts(o);
  const requested: Counted[] = [];
  const extension = {
    request: (_accountId: string, { toolSlug, connectionId }: Counted) =>
      void requested.push({ toolSlug, connectionId }),
  };
  return { counts, requested, repository: createExecutionRepository({ ...o, counts, extension }) };
}
