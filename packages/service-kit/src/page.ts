import { validationError } from '@fairlead/errors/api-error';

/** A page request: `top` records, starting at the zero-based `offset`. */
export interface Page {
  readonly offset: number;
  readonly top: number;
  /** The end of the previous part (mongo/list-part.ts): the page starts there, and `offset` counts from there. */
  readonly after?: string | undefined;
}

/** A page of a list, and the number of matching records across all pages. */
export interface CountedPage<T> {
  readonly items: readonly T[];
  readonly totalCount: number;
}

/** A page or its first part. In a further part, totalCount is 0. */
export interface ListPart<T> extends CountedPage<T> {
  /** The position for `after` of the next request; undefined: the page is complete. */
  readonly next?: string | undefined;
}

/** The largest page (row completion.everywhere.7). */
export const MAX_TOP = 100;

/**
 * The requested page of a message, by default the first MAX_TOP records. Throws VALIDATION_ERROR that names values
 * out of range.
 */
export function readPage(message: Page | undefined): Page {
  const { offset, top, after } = message ?? { offset: 0, top: MAX_TOP };
  const issues = [
    ...(offset < 0 ? [{ field: 'offset', issue: 'must be at least 0' }] : []),
    ...(top < 1 || top > MAX_TOP ? [{ field: 'top', issue: `must be from 1 to ${MAX_TOP}` }] : []),
  ];
  if (issues.length > 0) throw validationError(...issues);
  return { offset, top, ...(after !== undefined && { after }) };
}
