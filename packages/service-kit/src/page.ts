import { validationError } from '@fairlead/errors/api-error';

/** `top` records from the zero-based `offset` on. */
export interface Page {
  readonly offset: number;
  readonly top: number;
  /** Where the part before ended (mongo/list-part.ts): the page begins there, and `offset` counts from there. */
  readonly after?: string | undefined;
}

/** A page of a list, and the number of matching records across all pages. */
export interface CountedPage<T> {
  readonly items: readonly T[];
  readonly totalCount: number;
}

/** The same, or its beginning; of a part that goes on where another ended, totalCount is 0. */
export interface ListPart<T> extends CountedPage<T> {
  /** Where the page goes on, for `after` of the next request; undefined: this is its end. */
  readonly next?: string | undefined;
}

/** The largest page (row completion.everywhere.7). */
export const MAX_TOP = 100;

/** The page that a message requests, by default the first MAX_TOP records; throws VALIDATION_ERROR naming what is out of range. */
export function readPage(message: Page | undefined): Page {
  const { offset, top, after } = message ?? { offset: 0, top: MAX_TOP };
  const issues = [
    ...(offset < 0 ? [{ field: 'offset', issue: 'must be at least 0' }] : []),
    ...(top < 1 || top > MAX_TOP ? [{ field: 'top', issue: `must be from 1 to ${MAX_TOP}` }] : []),
  ];
  if (issues.length > 0) throw validationError(...issues);
  return { offset, top, ...(after !== undefined && { after }) };
}
