import { ApiError } from '@fairlead/errors/api-error';
import { databaseFailure } from '@fairlead/service-kit/mongo/database-errors';
import { errors } from 'oidc-provider';

/** The error for an unavailable database: 503 instead of 500, so that clients retry. */
class UnavailableError extends errors.OIDCProviderError {
  override readonly error_description = 'a part of the service is not responding, try again later';

  constructor(cause: unknown) {
    super(503, 'temporarily_unavailable');
    this.cause = cause;
    // The library reports an error with a 5xx status as server_error unless it is exposed.
    this.expose = true;
  }
}

/** Runs `work`; if the database is unavailable or slow, throws an error that makes clients retry. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw databaseFailure(error) === undefined ? error : new UnavailableError(error);
  }
}

/** Converts `orUnavailable`'s error to an ApiError, for callers outside the library. */
export function asUnavailable(error: unknown): unknown {
  return error instanceof UnavailableError
    ? new ApiError('UNAVAILABLE', 'A part of the service is not responding.', { cause: error })
    : error;
}
