import { Code, ConnectError } from '@connectrpc/connect';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import { ERROR_CATALOGUE, isErrorCode } from '@fairlead/errors/catalogue';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { ErrorDetailSchema } from '@fairlead/contracts/common/v1/error_pb';
import { fromConnectError, toConnectError } from './errors.ts';

it.each(Object.keys(ERROR_CATALOGUE).filter(isErrorCode))(
  '%s keeps its code, text, details, candidates and time to wait over the wire',
  (code) => {
    const error = new ApiError(code, 'For people.', {
      details: [{ field: 'a.b', issue: 'is odd' }],
      candidates: ['one', 'two'],
      retryAfterSeconds: 3,
      approvalId: 'a',
    });
    const wire = toConnectError(error);
    expect(wire.code).toBe(ERROR_CATALOGUE[code].grpc);
    expect(fromConnectError(wire)).toMatchObject({
      code,
      message: 'For people.',
      details: [{ field: 'a.b', issue: 'is odd' }],
      candidates: ['one', 'two'],
      retryAfterSeconds: 3,
      approvalId: 'a',
    });
  },
);

it('a choice of nothing is another thing than no choice', () => {
  const sent = (candidates?: readonly string[]) =>
    fromConnectError(toConnectError(new ApiError('NOT_FOUND', 'No.', candidates && { candidates })))
      .candidates;
  expect([sent([]), sent()]).toEqual([[], undefined]);
});

it('a validation error names its fields in the text too', () => {
  const error = fromConnectError(toConnectError(validationError({ field: 'name', issue: 'is required' })));
  expect(error.message).toContain('name: is required');
});

describe('errors that a service did not throw on purpose', () => {
  it.each([
    [
      'a broken database connection',
      new MongoNetworkError('connection 3 to 10.0.0.7:27017 closed'),
      'UNAVAILABLE',
    ],
    [
      'a database connection that ended between two commands',
      Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' }),
      'UNAVAILABLE',
    ],
    [
      'a primary that stepped down',
      new MongoServerError({ message: 'not primary', code: 10_107 }),
      'UNAVAILABLE',
    ],
    [
      'a database call out of time',
      new MongoServerError({ message: 'operation exceeded time limit', code: 50 }),
      'TIMEOUT',
    ],
    ['a duplicate key', new MongoServerError({ message: 'E11000 duplicate key', code: 11_000 }), 'INTERNAL'],
    ['an abort', new DOMException('This operation was aborted', 'AbortError'), 'TIMEOUT'],
    ['a timeout signal', new DOMException('late', 'TimeoutError'), 'TIMEOUT'],
    [
      'the RPC library noticing the deadline',
      new ConnectError('the operation timed out', Code.DeadlineExceeded),
      'TIMEOUT',
    ],
    ['a bug', new TypeError('x is not a function'), 'INTERNAL'],
    ['no error at all', 'text', 'INTERNAL'],
  ])('%s', (_, thrown, code) => {
    const wire = toConnectError(thrown);
    expect(fromConnectError(wire).code).toBe(code);
    const text = thrown instanceof Error ? thrown.message : thrown;
    expect(wire.message).not.toContain(text);
    expect(wire.cause).toBe(thrown);
  });
});

it.each(Object.keys(ERROR_CATALOGUE).filter(isErrorCode))(
  'an error that only a newer release knows keeps the kind of its HTTP status: one like %s',
  (known) => {
    const { grpc, http } = ERROR_CATALOGUE[known];
    const value = {
      code: 'OF_A_NEWER_RELEASE',
      details: [{ field: 'a', issue: 'is new' }],
      candidates: ['b'],
    };
    const wire = new ConnectError('For people.', grpc, undefined, [{ desc: ErrorDetailSchema, value }]);
    const error = fromConnectError(wire);
    expect(Math.floor(ERROR_CATALOGUE[error.code].http / 100)).toBe(Math.floor(http / 100));
    expect(error).toMatchObject({ message: 'For people.', details: value.details, candidates: ['b'] });
    expect(error.code === 'INTERNAL').toBe(grpc === Code.Internal || grpc === Code.Unknown);
  },
);

describe('a status without detail at the client', () => {
  it.each([
    [Code.Unavailable, 'UNAVAILABLE'],
    [Code.Aborted, 'UNAVAILABLE'],
    [Code.DeadlineExceeded, 'TIMEOUT'],
    [Code.Canceled, 'TIMEOUT'],
    [Code.Unknown, 'INTERNAL'],
    [Code.Unimplemented, 'INTERNAL'],
  ] as const)('%s is %s', (code, expected) => {
    expect(fromConnectError(new ConnectError('text', code)).code).toBe(expected);
  });
});
