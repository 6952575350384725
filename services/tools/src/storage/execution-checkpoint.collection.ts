import { checkpointCollection, countStateCollection } from '@fairlead/counts/checkpoint.collection';
import { RETENTION_SECONDS } from '../domain/execution.ts';

/** The counts of a checkpoint of executions: all rows, and those by how they ended. */
export const EXECUTION_MEMBERS = ['rows', 'succeeded', 'failed'] as const;
/** One of them. */
export type ExecutionMember = (typeof EXECUTION_MEMBERS)[number];

/** The checkpoints of executions. */
export const executionCheckpointCollection = checkpointCollection<number, ExecutionMember>({
  name: 'execution_checkpoints',
  members: EXECUTION_MEMBERS,
  rowSeconds: RETENTION_SECONDS,
});

/** The states of accounts whose executions are counted. */
export const executionCountStateCollection = countStateCollection<number>('execution_count_states');
