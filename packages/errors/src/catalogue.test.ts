import { Code } from '@connectrpc/connect';
import { expect, it } from 'vitest';
import { ERROR_CATALOGUE, isErrorCode } from './catalogue.ts';

it('each HTTP status has the gRPC statuses that say the same', () => {
  const pairs: Record<number, Code[]> = {};
  for (const { http, grpc } of Object.values(ERROR_CATALOGUE)) {
    pairs[http] = [...new Set([...(pairs[http] ?? []), grpc])].toSorted((a, b) => a - b);
  }
  expect(pairs).toEqual({
    400: [Code.InvalidArgument],
    401: [Code.Unauthenticated],
    403: [Code.PermissionDenied],
    404: [Code.NotFound],
    405: [Code.Unimplemented],
    409: [Code.AlreadyExists, Code.FailedPrecondition],
    413: [Code.ResourceExhausted],
    415: [Code.InvalidArgument],
    500: [Code.Internal],
    503: [Code.Unavailable],
    504: [Code.DeadlineExceeded],
  });
});

// From the table of the contract, "Errors".
it.each([
  ['VALIDATION_ERROR', 400],
  ['MALFORMED_BODY', 400],
  ['WRONG_APPLICATION', 400],
  ['INVALID_AUTH_PROVIDER', 400],
  ['INVALID_FIELD', 400],
  ['OAUTH_STATE_REQUIRED', 400],
  ['OAUTH_STATE_EXPIRED', 400],
  ['INVALID_ENUM_VALUE', 400],
  ['UNAUTHORIZED', 401],
  ['ACCOUNT_USER_INACTIVE', 403],
  ['CONNECTION_BLOCKED', 403],
  ['NOT_FOUND', 404],
  ['NO_DEFAULT_CONNECTION', 409],
  ['UNSUPPORTED_MEDIA_TYPE', 415],
] as const)('%s is %i', (code, status) => {
  expect(ERROR_CATALOGUE[code].http).toBe(status);
});

it('knows its own codes only', () => {
  expect(isErrorCode('NOT_FOUND')).toBe(true);
  for (const text of ['not_found', '', 'toString', '__proto__']) expect(isErrorCode(text)).toBe(false);
});
