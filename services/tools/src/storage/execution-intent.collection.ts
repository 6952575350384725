import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import { RETENTION_SECONDS } from '../domain/execution.ts';
import type { RowContent } from './execution-row.ts';

/** Execution intents: calls of one account that began together; each gets its row when it ends (storage/execution-intents.ts). */
export interface ExecutionIntentDocument {
  /** The history id of the first of them. */
  _id: number;
  accountId: string;
  /** The calls that no reader of the history has been shown as rows, and that were not refused. */
  calls: IntendedCall[];
  /** The time of `_id`. */
  createdAt: Date;
}

/** A call that was about to start. */
export interface IntendedCall {
  historyId: number;
  row: RowContent;
}

/** One index for readers of an account's history; another removes the documents that nobody has read. The stored name is that of earlier releases. */
export const executionIntentCollection = defineCollection<ExecutionIntentDocument>({
  name: 'execution_beginnings',
  indexes: [
    { key: { accountId: 1, _id: 1 }, name: 'of_account' },
    { key: { createdAt: 1 }, name: 'retention', expireAfterSeconds: RETENTION_SECONDS },
  ],
});
