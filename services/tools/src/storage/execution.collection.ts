import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import { RETENTION_SECONDS } from '../domain/execution.ts';
import type { ExecutionSource } from '../domain/call-origin.ts';
import type { ConnectionResolution } from '../domain/execution.ts';

/** A row of the history. */
export interface ExecutionDocument {
  /** The history id (domain/history-id.ts). */
  _id: number;
  accountId: string;
  toolSlug: string;
  applicationSlug: string;
  toolVersion: string;
  /** Null for a workflow. */
  connectionId: number | null;
  connectionResolution: ConnectionResolution;
  /** False until the outcome is written; a row in which it stays false was interrupted. */
  isSettled: boolean;
  /** The document with its intent (storage/execution-intents.ts); absent for a row written directly, at the call's start or end. */
  begunIn?: number;
  /** The id of the call's intent; only on a row that a reader created before the call ended. */
  begunAs?: number;
  isSuccess: boolean;
  errorMessage: string | null;
  /** JSON text, like `output`: vendors nest deeper, and name members more freely, than BSON allows. */
  fields: string;
  output: string | null;
  outputMismatch: { field: string; issue: string }[];
  startedAt: Date;
  durationMs: number;
  attempts: number;
  /** Absent on rows of earlier releases, and without a calling user. */
  userId?: string;
  /** Absent on rows of earlier releases: `rest`. */
  source?: ExecutionSource;
  /** Absent: the call did not come through an MCP server. */
  mcpServerName?: string;
  /** The restricted API key that made the call; otherwise absent. */
  keyId?: string;
  /** The time in the history id, for removal after 90 days. */
  createdAt: Date;
  updatedAt: Date;
}

/**
 * One index per combination of filters, each in id order, and one that removes rows after 90 days. Without a filter by success, both of its
 * values are read, so that combination needs no index of its own (ADR 42).
 */
export const executionCollection = defineCollection<ExecutionDocument>({
  name: 'executions',
  indexes: [
    { key: { accountId: 1, isSuccess: 1, _id: -1 }, name: 'of_account' },
    { key: { accountId: 1, toolSlug: 1, isSuccess: 1, _id: -1 }, name: 'of_tool' },
    { key: { accountId: 1, connectionId: 1, isSuccess: 1, _id: -1 }, name: 'of_connection' },
    {
      key: { accountId: 1, toolSlug: 1, connectionId: 1, isSuccess: 1, _id: -1 },
      name: 'of_tool_and_connection',
    },
    // For lists of restricted keys, whatever their filters; other rows are not in this index.
    {
      key: { accountId: 1, keyId: 1, isSuccess: 1, _id: -1, toolSlug: 1, connectionId: 1 },
      name: 'of_key',
      partialFilterExpression: { keyId: { $exists: true } },
    },
    { key: { createdAt: 1 }, name: 'retention', expireAfterSeconds: RETENTION_SECONDS },
  ],
  removedIndexes: ['account', 'account_tool', 'account_connection', 'account_success'],
});
