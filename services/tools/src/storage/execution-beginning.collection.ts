import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import { RETENTION_SECONDS } from '../domain/execution.ts';
import type { RowContent } from './execution-row.ts';

/** Calls of one account that began together; each gets its row when it ends (storage/execution-beginnings.ts). */
export interface ExecutionBeginningDocument {
  /** The history id of the first of them. */
  _id: number;
  accountId: string;
  /** The calls that no reader of the history has been shown as rows, and that were not refused. */
  calls: BegunCall[];
  /** The time of `_id`. */
  createdAt: Date;
}

/** A call as it began. */
export interface BegunCall {
  historyId: number;
  row: RowContent;
}

/** One index for readers of an account's history; another removes the documents that nobody has read. */
export const executionBeginningCollection = defineCollection<ExecutionBeginningDocument>({
  name: 'execution_beginnings',
  indexes: [
    { key: { accountId: 1, _id: 1 }, name: 'of_account' },
    { key: { createdAt: 1 }, name: 'retention', expireAfterSeconds: RETENTION_SECONDS },
  ],
});
