import { validationError } from '@fairlead/errors/api-error';

const MAX_SEARCH_LENGTH = 1000;

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
