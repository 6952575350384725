import { readFileSync } from 'node:fs';
import { Code } from '@connectrpc/connect';
import { expect, it } from 'vitest';
import { ERROR_CATALOGUE, isErrorCode } from './catalogue.ts';

it('each HTTP status has equivalent gRPC statuses', () => {
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
    429: [Code.ResourceExhausted],
    500: [Code.Internal],
    502: [Code.Unknown],
    503: [Code.Unavailable],
    504: [Code.DeadlineExceeded],
  });
});

/** The codes that the rows completion.* add to the table of errors, with their statuses. */
const COMPLETED = {
  OAUTH_SIGN_IN_FAILED: 400,
  FORBIDDEN: 403,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  AMBIGUOUS_TOOL: 409,
  AMBIGUOUS_APPLICATION: 409,
  NO_DESTINATION: 409,
  CONNECTION_IN_USE: 409,
  APPROVAL_REQUIRED: 409,
  IDEMPOTENCY_CONFLICT: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  PAYLOAD_TOO_LARGE: 413,
  INTERNAL: 500,
  OPA_AGENT_ERROR: 502,
  UNAVAILABLE: 503,
  TIMEOUT: 504,
};

/** The rows of the contract's table of codes: `errors.12<tab>VALIDATION_ERROR | 400 | …`. */
function contractCodes(): Record<string, number> {
  const rows = readFileSync(new URL('../../../tests/contract/rows.tsv', import.meta.url), 'utf8');
  const pattern = /^errors\.\d+\t([A-Z_]+) \| (\d{3}) \|/gm;
  const codes: Record<string, number> = {};
  for (const [, code = '', status] of rows.matchAll(pattern)) codes[code] = Number(status);
  return codes;
}

it('equals the table of errors and the codes of the rows completion.*, statuses included', () => {
  const table = contractCodes();
  expect(Object.keys(table)).toHaveLength(22);
  expect(Object.keys(table).filter((code) => Object.hasOwn(COMPLETED, code))).toEqual([]);
  const statuses = Object.entries(ERROR_CATALOGUE).map(([code, { http }]) => [code, http]);
  expect(Object.fromEntries(statuses)).toEqual({ ...table, ...COMPLETED });
});

it('knows only its own codes', () => {
  expect(isErrorCode('NOT_FOUND')).toBe(true);
  for (const text of ['not_found', '', 'toString', '__proto__']) expect(isErrorCode(text)).toBe(false);
});
