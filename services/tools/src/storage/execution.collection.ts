import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import { RETENTION_SECONDS } from '../domain/execution.ts';
import type { ConnectionResolution } from '../domain/execution.ts';

/** A row of the history. */
export interface ExecutionDocument {
  /** The history id (domain/history-id.ts). */
  _id: number;
  accountId: string;
  toolSlug: string;
  applicationSlug: string;
  toolVersion: string;
  connectionId: number;
  connectionResolution: ConnectionResolution;
  /** False until the outcome of the call is written; a row in which it stays false was interrupted. */
  isSettled: boolean;
  isSuccess: boolean;
  errorMessage: string | null;
  /** JSON text, like `output`: vendors nest deeper and name members more freely than BSON allows. */
  fields: string;
  output: string | null;
  outputMismatch: { field: string; issue: string }[];
  startedAt: Date;
  durationMs: number;
  attempts: number;
  createdAt: Date;
  updatedAt: Date;
}

/** One index for each filter of the list, each in the order of the list, and one that removes rows after 90 days. */
export const executionCollection = defineCollection<ExecutionDocument>({
  name: 'executions',
  indexes: [
    { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'account' },
    { key: { accountId: 1, toolSlug: 1, createdAt: -1, _id: -1 }, name: 'account_tool' },
    { key: { accountId: 1, connectionId: 1, createdAt: -1, _id: -1 }, name: 'account_connection' },
    { key: { accountId: 1, isSuccess: 1, createdAt: -1, _id: -1 }, name: 'account_success' },
    { key: { createdAt: 1 }, name: 'retention', expireAfterSeconds: RETENTION_SECONDS },
  ],
});
