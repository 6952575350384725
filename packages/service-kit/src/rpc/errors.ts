import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { ChannelError } from '@fairlead/connect-fast/channel-error';
import { ErrorDetailSchema } from '@fairlead/contracts/common/v1/error_pb';
import type { ErrorDetail, ItemError, ItemErrorSchema } from '@fairlead/contracts/common/v1/error_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { ERROR_CATALOGUE, generalCodeOf, isErrorCode } from '@fairlead/errors/catalogue';
import { databaseFailure } from '../mongo/database-errors.ts';

/**
 * Converts any thrown error for the wire: a gRPC status with a typed ErrorDetail. An ApiError keeps its code, text,
 * details, candidates and time to wait; an unreachable database is UNAVAILABLE; an abort or a passed deadline is
 * TIMEOUT; everything else is INTERNAL with a fixed text. Other ConnectErrors (the RPC library's own refusals) are
 * returned unchanged. The original error is the `cause`, for the log only.
 */
export function toConnectError(error: unknown): ConnectError {
  if (error instanceof ConnectError && !isOutOfTime(error)) return error;
  const apiError = toApiError(error);
  const detail = { desc: ErrorDetailSchema, value: detailOf(apiError) };
  return new ConnectError(apiError.message, ERROR_CATALOGUE[apiError.code].grpc, undefined, [detail], error);
}

/** Converts the error of one item in an RPC, like toConnectError. */
export function toItemError(error: unknown) {
  const apiError = toApiError(error);
  const { code, message } = apiError;
  return {
    message,
    status: ERROR_CATALOGUE[code].grpc,
    detail: detailOf(apiError),
  } satisfies MessageInitShape<typeof ItemErrorSchema>;
}

/** The ApiError of a failed item in an RPC, like fromConnectError. */
export function fromItemError({ message, status, detail }: ItemError): ApiError {
  return detail === undefined ? internal(new Error(message)) : apiErrorOf(detail, message, status);
}

function detailOf({ code, details, candidates, retryAfterSeconds, approvalId }: ApiError) {
  return {
    code,
    details: [...details],
    ...(candidates !== undefined && { candidates: [...candidates], offersChoice: true }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(approvalId === undefined ? {} : { approvalId }),
  };
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isAbort(error) || isOutOfTime(error)) return timeout(error);
  switch (databaseFailure(error)) {
    case 'timeout':
      return timeout(error);
    case 'unavailable':
      return new ApiError('UNAVAILABLE', 'The database is not available. Try again.', { cause: error });
    default:
      return internal(error);
  }
}

/**
 * Converts any error of an RPC for the client's caller: the service's ApiError (with the general code of its status
 * if only a newer release knows its code); UNAVAILABLE if the service is unreachable or its connection broke; TIMEOUT
 * if the deadline passed or the caller left; else INTERNAL with a fixed text.
 */
export function fromConnectError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (!(error instanceof ConnectError)) return isAbort(error) ? timeout(error) : internal(error);
  const [detail] = error.findDetails(ErrorDetailSchema);
  if (detail !== undefined) return apiErrorOf(detail, error.rawMessage, error.code, error);
  switch (error.code) {
    case Code.DeadlineExceeded:
    case Code.Canceled:
      return timeout(error);
    case Code.Unavailable:
    // connect-node's code for a connection that was reset or closed before the response was complete.
    case Code.Aborted:
      return new ApiError('UNAVAILABLE', 'A part of the system is not available. Try again.', {
        cause: error,
      });
    default:
      return isBrokenConnection(error)
        ? new ApiError('UNAVAILABLE', 'A part of the system is not available. Try again.', { cause: error })
        : internal(error);
  }
}

/**
 * Whether a call failed after its request was sent but without a response, so that the service may have executed it.
 * False for an error that the service responded with.
 */
export function isUnanswered({ cause }: ApiError): boolean {
  return cause instanceof ConnectError && cause.cause instanceof ChannelError && cause.cause.wasSent;
}

function apiErrorOf(detail: ErrorDetail, message: string, status: number, cause?: unknown): ApiError {
  const { candidates, offersChoice, retryAfterSeconds, approvalId } = detail;
  return new ApiError(isErrorCode(detail.code) ? detail.code : generalCodeOf(status), message, {
    details: detail.details.map(({ field, issue }) => ({ field, issue })),
    ...((offersChoice || candidates.length > 0) && { candidates }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(approvalId === undefined ? {} : { approvalId }),
    cause,
  });
}

/** The code of a wire error: our own if it has one, else the name of the status. */
export function codeOf(error: ConnectError): string {
  const [detail] = error.findDetails(ErrorDetailSchema);
  return detail?.code ?? Code[error.code];
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}

function isOutOfTime(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.DeadlineExceeded;
}

const BROKEN_CONNECTION: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

function isBrokenConnection(error: unknown): boolean {
  for (let e = error, depth = 0; e instanceof Error && depth < 5; e = e.cause, depth += 1) {
    if ('code' in e && BROKEN_CONNECTION.has(e.code)) return true;
  }
  return false;
}

function timeout(cause: unknown): ApiError {
  return new ApiError('TIMEOUT', 'The request took too long.', { cause });
}

function internal(cause: unknown): ApiError {
  return new ApiError('INTERNAL', 'Something went wrong. The request id finds it in the log.', { cause });
}
