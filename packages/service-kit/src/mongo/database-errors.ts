import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from 'mongodb';

const MAX_TIME_MS_EXPIRED = 50;

// The server's codes for "no longer primary", "shutting down", "unreachable" and "not enough members".
const UNAVAILABLE_CODES: ReadonlySet<unknown> = new Set([
  6, 7, 63, 64, 89, 91, 100, 133, 134, 189, 234, 262, 317, 9001, 10107, 11600, 11602, 13388, 13435, 13436,
]);

const UNAVAILABLE_NAMES: ReadonlySet<string> = new Set([
  'MongoPoolClosedError',
  'MongoPoolClearedError',
  'MongoWaitQueueTimeoutError',
]);

// The driver passes a socket's own error on if its connection ended between two commands.
const BROKEN_SOCKET: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED']);

/** The kind of failure of a database call; `undefined` if the error is not about availability. */
export function databaseFailure(error: unknown): 'unavailable' | 'timeout' | undefined {
  if (!(error instanceof MongoError)) return isBrokenSocket(error) ? 'unavailable' : undefined;
  // For a bulk write that failed as a whole, the driver wraps the error.
  if (error instanceof MongoBulkWriteError && error.errorResponse instanceof Error)
    return databaseFailure(error.errorResponse);
  if (error instanceof MongoOperationTimeoutError) return 'timeout';
  if (error instanceof MongoServerError && error.code === MAX_TIME_MS_EXPIRED) return 'timeout';
  return isUnavailable(error) ? 'unavailable' : undefined;
}

function isBrokenSocket(error: unknown): boolean {
  return error instanceof Error && 'code' in error && BROKEN_SOCKET.has(error.code);
}

function isUnavailable(error: MongoError): boolean {
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoNotConnectedError ||
    error instanceof MongoTopologyClosedError ||
    error instanceof MongoClientClosedError ||
    error instanceof MongoWriteConcernError ||
    // Classes that the driver does not export.
    UNAVAILABLE_NAMES.has(error.name) ||
    (error instanceof MongoServerError &&
      !(error instanceof MongoBulkWriteError) &&
      UNAVAILABLE_CODES.has(error.code)) ||
    error.hasErrorLabel(MongoErrorLabel.RetryableWriteError) ||
    error.hasErrorLabel(MongoErrorLabel.PoolRequestedRetry) ||
    error.hasErrorLabel(MongoErrorLabel.TransientTransactionError)
  );
}
