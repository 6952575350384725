import { Code } from '@connectrpc/connect';

/**
 * The error catalogue: every code that a Fairlead service may return, with its HTTP status at the gateway and its gRPC
 * status between services. The only place that defines either.
 *
 * Source: the rows errors.*, and each row that names a code.
 */
export const ERROR_CATALOGUE = {
  VALIDATION_ERROR: { http: 400, grpc: Code.InvalidArgument },
  MALFORMED_BODY: { http: 400, grpc: Code.InvalidArgument },
  WRONG_APPLICATION: { http: 400, grpc: Code.InvalidArgument },
  INVALID_AUTH_PROVIDER: { http: 400, grpc: Code.InvalidArgument },
  INVALID_FIELD: { http: 400, grpc: Code.InvalidArgument },
  OAUTH_STATE_REQUIRED: { http: 400, grpc: Code.InvalidArgument },
  OAUTH_STATE_EXPIRED: { http: 400, grpc: Code.InvalidArgument },
  OAUTH_SIGN_IN_FAILED: { http: 400, grpc: Code.InvalidArgument },
  INVALID_ENUM_VALUE: { http: 400, grpc: Code.InvalidArgument },
  EMPTY_QUERY: { http: 400, grpc: Code.InvalidArgument },
  UNAUTHORIZED: { http: 401, grpc: Code.Unauthenticated },
  ACCOUNT_USER_INACTIVE: { http: 403, grpc: Code.PermissionDenied },
  FORBIDDEN: { http: 403, grpc: Code.PermissionDenied },
  CONNECTION_BLOCKED: { http: 403, grpc: Code.PermissionDenied },
  TOOL_NOT_IN_TOOLSET: { http: 403, grpc: Code.PermissionDenied },
  CONNECTION_NOT_IN_TOOLSET: { http: 403, grpc: Code.PermissionDenied },
  NOT_FOUND: { http: 404, grpc: Code.NotFound },
  METHOD_NOT_ALLOWED: { http: 405, grpc: Code.Unimplemented },
  CONFLICT: { http: 409, grpc: Code.AlreadyExists },
  AMBIGUOUS_TOOL: { http: 409, grpc: Code.FailedPrecondition },
  AMBIGUOUS_APPLICATION: { http: 409, grpc: Code.FailedPrecondition },
  NO_DEFAULT_CONNECTION: { http: 409, grpc: Code.FailedPrecondition },
  NO_TOOLSET_CONNECTION: { http: 409, grpc: Code.FailedPrecondition },
  NO_DESTINATION: { http: 409, grpc: Code.FailedPrecondition },
  CONNECTION_IN_USE: { http: 409, grpc: Code.FailedPrecondition },
  AUTH_PROVIDER_IN_USE: { http: 409, grpc: Code.FailedPrecondition },
  APPROVAL_REQUIRED: { http: 409, grpc: Code.FailedPrecondition },
  OPA_AGENT_OFFLINE: { http: 409, grpc: Code.FailedPrecondition },
  IDEMPOTENCY_CONFLICT: { http: 409, grpc: Code.FailedPrecondition },
  IDEMPOTENCY_IN_PROGRESS: { http: 409, grpc: Code.FailedPrecondition },
  PAYLOAD_TOO_LARGE: { http: 413, grpc: Code.ResourceExhausted },
  UNSUPPORTED_MEDIA_TYPE: { http: 415, grpc: Code.InvalidArgument },
  RATE_LIMIT_EXCEEDED: { http: 429, grpc: Code.ResourceExhausted },
  INTERNAL: { http: 500, grpc: Code.Internal },
  OPA_AGENT_ERROR: { http: 502, grpc: Code.Unknown },
  UNAVAILABLE: { http: 503, grpc: Code.Unavailable },
  TIMEOUT: { http: 504, grpc: Code.DeadlineExceeded },
  OPA_AGENT_TIMEOUT: { http: 504, grpc: Code.DeadlineExceeded },
} as const satisfies Record<string, { readonly http: number; readonly grpc: Code }>;

/** A machine-readable code of the catalogue. */
export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** Whether `code` is in the catalogue. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CATALOGUE, code);
}

const GENERAL_CODES: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [Code.InvalidArgument, 'VALIDATION_ERROR'],
  [Code.Unauthenticated, 'UNAUTHORIZED'],
  [Code.PermissionDenied, 'FORBIDDEN'],
  [Code.NotFound, 'NOT_FOUND'],
  [Code.AlreadyExists, 'CONFLICT'],
  [Code.FailedPrecondition, 'CONFLICT'],
  [Code.ResourceExhausted, 'RATE_LIMIT_EXCEEDED'],
  [Code.Unimplemented, 'METHOD_NOT_ALLOWED'],
  [Code.Unavailable, 'UNAVAILABLE'],
  [Code.DeadlineExceeded, 'TIMEOUT'],
]);

/** The code for an error with this gRPC status that has no code of the catalogue; INTERNAL for other statuses. */
export function generalCodeOf(status: number): ErrorCode {
  return GENERAL_CODES.get(status) ?? 'INTERNAL';
}
