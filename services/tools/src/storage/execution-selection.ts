import type { Filter } from 'mongodb';
import type { ExecutionFilter } from '../domain/execution.ts';
import { firstIdOf } from '../domain/history-id.ts';
import type { ExecutionDocument } from './execution.collection.ts';

/** Rows by what they are of; undefined: any. */
export type Selection = Pick<ExecutionFilter, 'toolSlug' | 'connectionId' | 'keyId' | 'isSuccess'>;

/** Ids from `from` (inclusive) to `to` (exclusive). */
export interface IdRange {
  readonly from: number;
  readonly to: number;
}

/** The ids of a period; without an end, all from its start on. */
export function idRangeOf({ from, to }: { readonly from: Date; readonly to?: Date | undefined }): IdRange {
  return { from: firstIdOf(from), to: to === undefined ? Number.MAX_SAFE_INTEGER : firstIdOf(to) };
}

/**
 * The rows of an account that are selected, and the index to read them by: its keys are all that the condition reads, or, of a confined key's rows,
 * those of all of that key, and in each value of isSuccess they are in the order of ids.
 */
export function selectRows(
  accountId: string,
  { toolSlug, connectionId, keyId, isSuccess }: Selection,
  { from, to }: IdRange,
): { readonly query: Filter<ExecutionDocument>; readonly hint: string } {
  return {
    query: {
      accountId,
      ...(keyId === undefined ? {} : { keyId }),
      ...(toolSlug === undefined ? {} : { toolSlug }),
      ...(connectionId === undefined ? {} : { connectionId }),
      isSuccess: isSuccess ?? { $in: [true, false] },
      _id: { $gte: from, $lt: to },
    },
    hint: indexOf({ toolSlug, connectionId, keyId }),
  };
}

function indexOf({ toolSlug, connectionId, keyId }: Selection): string {
  if (keyId !== undefined) return 'of_key';
  if (toolSlug === undefined) return connectionId === undefined ? 'of_account' : 'of_connection';
  return connectionId === undefined ? 'of_tool' : 'of_tool_and_connection';
}
