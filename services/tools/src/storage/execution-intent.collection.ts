import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import { RETENTION_SECONDS } from '../domain/execution.ts';
import type { RowContent } from './execution-row.ts';

/**
 * A document of execution intents: calls of one account that started together. Each gets its row when it ends
 * (storage/execution-intents.ts).
 */
export interface ExecutionIntentDocument {
  /** The lowest history id among them. */
  _id: number;
  accountId: string;
  /** The calls that have no row yet and were not refused. */
  calls: IntendedCall[];
  /** The time of `_id`. */
  createdAt: Date;
}

/** A call that was about to start. */
export interface IntendedCall {
  historyId: number;
  row: RowContent;
}

/**
 * One index for reading an account's history; another removes documents that nobody has read. The stored name is that of earlier releases.
 */
export const executionIntentCollection = defineCollection<ExecutionIntentDocument>({
  name: 'execution_beginnings',
  indexes: [
    { key: { accountId: 1, _id: 1 }, name: 'of_account' },
    { key: { createdAt: 1 }, name: 'retention', expireAfterSeconds: RETENTION_SECONDS },
  ],
});
