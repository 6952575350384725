import type { Filter } from 'mongodb';
import type { ExecutionFilter } from '../domain/execution.ts';
import { firstIdOf } from '../domain/history-id.ts';
import type { ExecutionDocument } from './execution.collection.ts';

/** Selects rows; undefined: any. */
export type Selection = Pick<ExecutionFilter, 'toolSlug' | 'connectionId' | 'keyId' | 'isSuccess'>;

/** Ids from `from` (inclusive) to `to` (exclusive). */
export interface IdRange {
  readonly from: number;
  readonly to: number;
}

/** The ids of a period; without an end, all from its start. */
export function idRangeOf({ from, to }: { readonly from: Date; readonly to?: Date | undefined }): IdRange {
  return { from: firstIdOf(from), to: to === undefined ? Number.MAX_SAFE_INTEGER : firstIdOf(to) };
}

/**
 * The filter for selected rows of an account, and the index to use. The index contains all members of the filter (for a restricted key: all
 * rows of the key), and for each value of isSuccess its rows are in id order.
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
