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
  /** False until the outcome of the call is written; a row in which it stays false was interrupted. */
  isSettled: boolean;
  /** The document that the call began in (storage/execution-intents.ts); absent for a row that was written at its beginning, or only at its end. */
  begunIn?: number;
  /** The id that the call began with; only of a row that a reader was shown before the call had ended. */
  begunAs?: number;
  isSuccess: boolean;
  errorMessage: string | null;
  /** JSON text, like `output`: vendors nest deeper and name members more freely than BSON allows. */
  fields: string;
  output: string | null;
  outputMismatch: { field: string; issue: string }[];
  startedAt: Date;
  durationMs: number;
  attempts: number;
  /** Absent on rows of earlier releases, and if no user called. */
  userId?: string;
  /** Absent on rows of earlier releases: `rest`. */
  source?: ExecutionSource;
  /** Absent: the call came through no MCP server. */
  mcpServerName?: string;
  /** The API key that made the call, if that is confined to a toolset; otherwise absent. */
  keyId?: string;
  /** The time of the history id, for the removal after 90 days. */
  createdAt: Date;
  updatedAt: Date;
}

/**
 * An index for each combination of filters, all in the order of ids, and one that removes rows after 90 days. Without a
 * filter by success, both of its values are read in turn; so none is needed for it alone (ADR 42).
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
    // For the lists of confined keys, whatever their filters; other rows have no key in it.
    {
      key: { accountId: 1, keyId: 1, isSuccess: 1, _id: -1, toolSlug: 1, connectionId: 1 },
      name: 'of_key',
      partialFilterExpression: { keyId: { $exists: true } },
    },
    { key: { createdAt: 1 }, name: 'retention', expireAfterSeconds: RETENTION_SECONDS },
  ],
  removedIndexes: ['account', 'account_tool', 'account_connection', 'account_success'],
});
