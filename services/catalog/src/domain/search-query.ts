import { validationError } from '@fairlead/errors/api-error';

const MAX_QUERY_LENGTH = 1000;

/** The trimmed query of a search text; empty means no search. VALIDATION_ERROR if it is too long. */
export function searchQuery(search: string): string {
  if (search.length <= MAX_QUERY_LENGTH) return search.trim();
  const issue = `must not be longer than ${MAX_QUERY_LENGTH} characters`;
  throw validationError({ field: 'search', issue });
}
