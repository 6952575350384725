import { checkpointCollection, countStateCollection } from '@fairlead/counts/checkpoint.collection';
import { RETENTION_SECONDS } from '../domain/execution.ts';

/** Counters in a checkpoint of executions: all rows, and rows by outcome. */
export const EXECUTION_MEMBERS = ['rows', 'succeeded', 'failed'] as const;
/** One of these counters. */
export type ExecutionMember = (typeof EXECUTION_MEMBERS)[number];

export const executionCheckpointCollection = checkpointCollection<number, ExecutionMember>({
  name: 'execution_checkpoints',
  members: EXECUTION_MEMBERS,
  rowSeconds: RETENTION_SECONDS,
});

/** Counting state per account. */
export const executionCountStateCollection = countStateCollection<number>('execution_count_states');
