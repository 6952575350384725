import type { Page } from '@fairlead/contracts/common/v1/page_pb';
import { validationError } from '@fairlead/errors/api-error';
import type { PageRequest } from '../use-cases/page.ts';

const MAX_TOP = 100;
const MAX_SEARCH_LENGTH = 1000;

/** Decodes the page, by default the first 100; VALIDATION_ERROR naming what is out of range. */
export function fromPage(page: Page | undefined): PageRequest {
  if (page === undefined) return { offset: 0, top: MAX_TOP };
  const { offset, top } = page;
  if (offset < 0) throw validationError({ field: 'offset', issue: 'must not be negative' });
  if (top < 1 || top > MAX_TOP) {
    throw validationError({ field: 'top', issue: `must be from 1 to ${String(MAX_TOP)}` });
  }
  return { offset, top };
}

/** Decodes the search text; blanks around it do not count, and nothing but blanks is no search. */
export function fromSearch(search: string): string {
  if (search.length > MAX_SEARCH_LENGTH) {
    throw validationError({
      field: 'search',
      issue: `must not be longer than ${String(MAX_SEARCH_LENGTH)} characters`,
    });
  }
  return search.trim();
}
