import type { Clock } from '@fairlead/service-kit/clock';
import { createRowCounts } from '@fairlead/counts/row-counts';
import type { CountedRows, CountOptions, IdRange, RowCounts } from '@fairlead/counts/row-counts';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { keptSince } from '../domain/execution.ts';
import { firstIdOf, timeOfId } from '../domain/history-id.ts';
import {
  EXECUTION_MEMBERS,
  executionCheckpointCollection,
  executionCountStateCollection,
} from './execution-checkpoint.collection.ts';
import type { ExecutionMember } from './execution-checkpoint.collection.ts';
import { selectRows } from './execution-selection.ts';
import type { Selection } from './execution-selection.ts';
import { executionCollection } from './execution.collection.ts';

/** Counts rows of the history exactly. */
export type ExecutionCounts = RowCounts<number, Selection>;

/** Creates the counts of executions in a store. `rowsPerCheckpoint` is for tests. */
export function createExecutionCounts(o: {
  readonly store: MongoStore;
  readonly clock: Clock;
  readonly rowsPerCheckpoint?: number;
}): ExecutionCounts {
  return createRowCounts({
    ...o,
    checkpoints: executionCheckpointCollection,
    states: executionCountStateCollection,
    members: EXECUTION_MEMBERS,
    ids: { firstOf: firstIdOf, timeOf: timeOfId },
    keptSince,
    rows: executionRows(o.store),
  });
}

function executionRows(
  store: Pick<MongoStore, 'collection'>,
): CountedRows<number, Selection, ExecutionMember> {
  const executions = store.collection(executionCollection);

  function count(
    options: CountOptions,
    accountId: string,
    selection: Selection,
    range: IdRange<number>,
  ): Promise<number> {
    const { query, hint } = selectRows(accountId, selection, range);
    return executions.countDocuments(query, { ...options, hint });
  }

  return {
    countedAs,
    memberOf: ({ isSuccess }) => (isSuccess === undefined ? 'rows' : isSuccess ? 'succeeded' : 'failed'),
    // Every combination of filters has its own index, except for rows of a restricted key.
    isSparse: ({ keyId, toolSlug, connectionId }) =>
      keyId !== undefined && (toolSlug !== undefined || connectionId !== undefined),
    count,
    async countMembers(options, accountId, selection, range) {
      // Sequentially, because a transaction runs one operation at a time.
      const rows = await count(options, accountId, anyOutcome(selection), range);
      const succeeded = await count(options, accountId, { ...selection, isSuccess: true }, range);
      return { rows, succeeded, failed: rows - succeeded };
    },
    async idAfter(options, accountId, selection, { range, skip }) {
      const { query, hint } = selectRows(accountId, readWith(selection), range);
      const row = await executions
        .find(query, { ...options, projection: { _id: 1 }, hint })
        .sort({ _id: 1 })
        .skip(skip)
        .limit(1)
        .next();
      return row?._id;
    },
  };
}

/** Names the selection of rows that checkpoints count, both outcomes together. */
export function countedAs({ toolSlug, connectionId, keyId }: Selection): string {
  const ofKey = keyId === undefined ? [] : [keyId];
  return JSON.stringify([toolSlug ?? null, connectionId ?? null, ...ofKey]);
}

function anyOutcome({ toolSlug, connectionId, keyId }: Selection): Selection {
  return { toolSlug, connectionId, keyId };
}

/** The rows whose keys a count reads; checkpoints limit their number. */
function readWith(selection: Selection): Selection {
  const { keyId } = selection;
  return keyId === undefined ? anyOutcome(selection) : { keyId };
}
