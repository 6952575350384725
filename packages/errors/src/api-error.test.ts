import { expect, it } from 'vitest';
import { ApiError, notFound, unknownSlug, validationError } from './api-error.ts';

it('carries code, text, details, candidates, retry delay and cause', () => {
  const cause = new Error('inner');
  const error = new ApiError('CONFLICT', 'Taken.', {
    details: [{ field: 'name', issue: 'is taken' }],
    candidates: ['a'],
    retryAfterSeconds: 1,
    cause,
  });
  expect(error).toMatchObject({
    name: 'ApiError',
    code: 'CONFLICT',
    message: 'Taken.',
    details: [{ field: 'name', issue: 'is taken' }],
    candidates: ['a'],
    retryAfterSeconds: 1,
    cause,
  });
});

it('has no details, candidates or cause unless given', () => {
  const error = new ApiError('INTERNAL', 'Oops.');
  expect([error.details, error.candidates, error.retryAfterSeconds, 'cause' in error]).toEqual([
    [],
    undefined,
    undefined,
    false,
  ]);
});

it('a validation error names each field in details and text', () => {
  const issues = [
    { field: 'name', issue: 'is required' },
    { field: 'connections[0].connectionId', issue: 'is negative' },
  ];
  const error = validationError(...issues);
  expect(error.code).toBe('VALIDATION_ERROR');
  expect(error.details).toEqual(issues);
  for (const { field, issue } of issues) expect(error.message).toContain(`${field}: ${issue}`);
});

it('not found has the same text whoever owns the record', () => {
  expect(notFound('connection')).toMatchObject({
    code: 'NOT_FOUND',
    message: 'The connection does not exist.',
  });
});

it('an unknown slug is named by its beginning, with what it is and the nearest ones', () => {
  expect(unknownSlug('tool', 'crm', ['crm-list'], 'crm is an application.')).toMatchObject({
    code: 'NOT_FOUND',
    message: 'There is no tool crm. crm is an application. Did you mean crm-list?',
    candidates: ['crm-list'],
  });
  expect(unknownSlug('tool', 'a'.repeat(301), [])).toMatchObject({
    message: `There is no tool ${'a'.repeat(300)}….`,
    candidates: [],
  });
});
