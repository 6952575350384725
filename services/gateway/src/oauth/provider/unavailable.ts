import { ApiError } from '@fairlead/errors/api-error';
import { databaseFailure } from '@fairlead/service-kit/mongo/database-errors';
import { errors } from 'oidc-provider';

/** The database is away: 503, so that a client tries again, and not 500. */
class UnavailableError extends errors.OIDCProviderError {
  override readonly error_description = 'a part of the service is not responding, try again later';

  constructor(cause: unknown) {
    super(503, 'temporarily_unavailable');
    this.cause = cause;
    // The library would make a server_error of it.
    this.expose = true;
  }
}

/** Does the work; where the database is away or late, the client is told to try again. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw databaseFailure(error) === undefined ? error : new UnavailableError(error);
  }
}

/** What `orUnavailable` throws, for callers that are not the library. */
export function asUnavailable(error: unknown): unknown {
  return error instanceof UnavailableError
    ? new ApiError('UNAVAILABLE', 'A part of the service is not responding.', { cause: error })
    : error;
}
