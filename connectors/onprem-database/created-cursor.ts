import type { Json } from '@fairlead/connector-model/json';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import { isArray, isObject } from '@fairlead/connector-runtime/templates';

/**
 * Number of rows before the newest one that every poll reads again, because a transaction may commit its rows after another one with higher
 * values. The cursor has their values in `known`.
 */
export const OVERLAP = 100;
/** Maximum number of new rows of one read; a smaller one is used if the rows are too large together. */
const PAGE_SIZES = [200, 20, 1];
/** The position of a poll among rows or documents, which are identified by a value that only grows. */
export interface CreatedCursor {
  /** Rows with higher values are read; null: all rows. */
  readonly since: string | null;
  readonly known: readonly string[];
}

/** Reads the known rows, and as many new rows as fit. */
export async function readPage<T>(
  read: (limit: number) => Promise<readonly T[]>,
  known: number,
): Promise<{ readonly rows: readonly T[]; readonly limit: number }> {
  for (const [index, size] of PAGE_SIZES.entries()) {
    const limit = known + size;
    try {
      return { rows: await read(limit), limit };
    } catch (error) {
      const isTooLarge = error instanceof HandlerError && error.message.includes('larger than');
      if (!isTooLarge || index === PAGE_SIZES.length - 1) throw error;
    }
  }
  throw new Error('There is no size of pages.');
}

/**
 * The cursor after rows with these keys: the last OVERLAP keys become the known ones, and the next read begins after the key before them.
 */
export function cursorAfter(since: string | null, keys: readonly string[]): CreatedCursor {
  return { since: keys.at(-OVERLAP - 1) ?? since, known: keys.slice(-OVERLAP) };
}

/** Parses a cursor; undefined if there is none yet. */
export function cursorOf(value: Json | undefined): CreatedCursor | undefined {
  if (!isObject(value)) return undefined;
  const { since, known } = value;
  return {
    since: typeof since === 'string' ? since : null,
    known: known !== undefined && isArray(known) ? known.filter((key) => typeof key === 'string') : [],
  };
}
