import type { Json } from '@fairlead/connector-model/model';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import { isArray, isObject } from '@fairlead/connector-runtime/templates';

/**
 * Rows before the newest one that every poll reads again: a transaction may commit its rows after another one with higher values. Their
 * values are the known ones of the cursor.
 */
export const OVERLAP = 100;
/** New rows of one read; fewer if they would be too large together. */
const PAGE_SIZES = [200, 20, 1];
/** Place of a poll among rows, or documents, that are told apart by a value that only grows. */
export interface CreatedCursor {
  /** Rows with higher values are read; null: all rows. */
  readonly since: string | null;
  readonly known: readonly string[];
}

/** Reads the known rows and as many new ones as fit. */
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

/** The last values are known; reading goes on after the one before them. */
export function cursorAfter(since: string | null, keys: readonly string[]): CreatedCursor {
  return { since: keys.at(-OVERLAP - 1) ?? since, known: keys.slice(-OVERLAP) };
}

/** Undefined: there is no cursor yet. */
export function cursorOf(value: Json | undefined): CreatedCursor | undefined {
  if (!isObject(value)) return undefined;
  const { since, known } = value;
  return {
    since: typeof since === 'string' ? since : null,
    known: known !== undefined && isArray(known) ? known.filter((key) => typeof key === 'string') : [],
  };
}
