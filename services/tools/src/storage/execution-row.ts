import { outputText } from '../domain/execution.ts';
import type { ExecutionRecord } from '../domain/execution.ts';
import { timeOfId } from '../domain/history-id.ts';
import type { ExecutionDocument } from './execution.collection.ts';

/** Approximate size of a row without its JSON. */
const ROW_BYTES = 1_024;

/** The stored content of a row. */
export type RowContent = Omit<
  ExecutionDocument,
  '_id' | 'accountId' | 'isSettled' | 'begunIn' | 'begunAs' | 'createdAt' | 'updatedAt'
>;

/** A row in stored form. */
export function rowOf(
  _id: number,
  {
    content,
    ...row
  }: { readonly content: RowContent } & Pick<
    ExecutionDocument,
    'accountId' | 'isSettled' | 'begunIn' | 'begunAs' | 'updatedAt'
  >,
): ExecutionDocument {
  return { _id, ...row, ...content, createdAt: timeOfId(_id) };
}

/** Encodes a record as the content of a row. */
export function contentOf({ fields, outcome, info, outputMismatch }: ExecutionRecord): RowContent {
  const { keyId, userId, mcpServerName, ...rest } = info;
  return {
    ...rest,
    ...(userId !== null && { userId }),
    ...(mcpServerName !== null && { mcpServerName }),
    ...(keyId !== undefined && { keyId }),
    isSuccess: outcome.isSuccess,
    errorMessage: outcome.isSuccess ? null : outcome.errorMessage,
    fields: JSON.stringify(fields),
    output: outcome.isSuccess ? outputText(outcome) : null,
    outputMismatch: outputMismatch.map(({ field, issue }) => ({ field, issue })),
  };
}

/** The members that a call's outcome adds to its row. */
export function endOf(content: RowContent): Partial<RowContent> {
  const {
    startedAt: _startedAt,
    connectionId: _connectionId,
    connectionResolution: _connectionResolution,
    applicationSlug: _applicationSlug,
    toolSlug: _toolSlug,
    toolVersion: _toolVersion,
    userId: _userId,
    source: _source,
    mcpServerName: _mcpServerName,
    keyId: _keyId,
    ...end
  } = content;
  return end;
}

/** Approximate memory of a row. */
export function bytesOf({ fields, output, errorMessage }: RowContent): number {
  return ROW_BYTES + fields.length + (output ?? errorMessage ?? '').length;
}
