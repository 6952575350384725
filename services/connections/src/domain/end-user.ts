import { ApiError, validationError } from '@fairlead/errors/api-error';

const MAX_CHARACTERS = 255;

/** Returns the id; throws VALIDATION_ERROR unless it has 1 to 255 characters. Source: row completion.connections.68. */
export function requireEndUserId(endUserId: string): string {
  const length = Array.from(endUserId).length;
  if (length >= 1 && length <= MAX_CHARACTERS) return endUserId;
  throw validationError({ field: 'endUserId', issue: `must have 1 to ${MAX_CHARACTERS} characters` });
}

/** The CONFLICT for an end user with the maximum number of connections. */
export function tooManyConnections(maxConnections: number): ApiError {
  const noun = maxConnections === 1 ? 'connection' : 'connections';
  return new ApiError(
    'CONFLICT',
    `An end user may have at most ${maxConnections} ${noun}. Delete one first.`,
  );
}
