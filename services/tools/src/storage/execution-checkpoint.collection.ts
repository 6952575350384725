import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import { RETENTION_SECONDS } from '../domain/execution.ts';

/** How many rows of one kind there were up to an id: counts read these instead of the rows (storage/execution-counts.ts). */
export interface ExecutionCheckpointDocument {
  accountId: string;
  /** The rows that are counted: `countedAs` of their tool and connection. */
  of: string;
  /** The rows with ids below this one, from the first checkpoint on; the numbers alone mean nothing, their differences do. */
  at: number;
  rows: number;
  succeeded: number;
  failed: number;
  /** That of the account when it was written. */
  generation: number;
  /** The time of `at`, for its removal. */
  createdAt: Date;
}

const DAY_SECONDS = 24 * 60 * 60;

/** What a count reads, without a document; and the removal, after the rows are gone. */
export const executionCheckpointCollection = defineCollection<ExecutionCheckpointDocument>({
  name: 'execution_checkpoints',
  indexes: [
    {
      key: { accountId: 1, of: 1, at: 1, rows: 1, succeeded: 1, failed: 1, generation: 1 },
      name: 'in_order',
    },
    { key: { createdAt: 1 }, name: 'retention', expireAfterSeconds: RETENTION_SECONDS + DAY_SECONDS },
  ],
});

/** Orders the writers of an account's checkpoints: each of their transactions writes it. */
export interface ExecutionCountStateDocument {
  /** The account's id. */
  _id: string;
  /** Grows when checkpoints are removed because a row before them was written. */
  generation: number;
  /** Grows when checkpoints are added. */
  additions: number;
}

/** The states of accounts whose executions are counted. */
export const executionCountStateCollection = defineCollection<ExecutionCountStateDocument>({
  name: 'execution_count_states',
  indexes: [],
});
