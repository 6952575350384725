import { expect, test } from 'vitest';
import type { SchemaCheck } from '../ports/schema-validator.ts';
import { toolDefinition } from '../testing/fixtures.ts';
import { checkInputs } from './check-inputs.ts';
import type { RequestedInputs } from './check-inputs.ts';

/** Checks inputs against the tool of fixtures.ts, with `check` as the result of its schema. */
function checked(requested: Partial<RequestedInputs>, check: SchemaCheck = { kind: 'checked', issues: [] }) {
  const inputs = { fields: {}, filters: [], sorts: [], top: undefined, offset: undefined, ...requested };
  return checkInputs(
    { schemas: { check: () => check } },
    { definition: toolDefinition(), isPlatform: true },
    inputs,
  );
}

test('fields that the tool does not know are dropped, and the query stays', () => {
  const inputs = checked({ fields: { name: 'Ada', unknown: 1 }, top: 5, offset: 10 });
  expect(inputs).toEqual({ fields: { name: 'Ada' }, filters: [], sorts: [], top: 5, offset: 10 });
});

test('issues of fields and of the query are named together', () => {
  const issues = [{ field: 'fields.name', issue: 'is required' }];
  const check = () => checked({ top: 0 }, { kind: 'checked', issues });
  expect(check).toThrow(
    expect.objectContaining({
      code: 'VALIDATION_ERROR',
      details: [issues[0], { field: 'top', issue: 'must be an integer from 1 to 100' }],
    }),
  );
});

test('fields that take too long to check are refused', () => {
  expect(() => checked({}, { kind: 'tooCostly' })).toThrow(
    expect.objectContaining({
      code: 'VALIDATION_ERROR',
      details: [expect.objectContaining({ field: 'fields' })],
    }),
  );
});

test('a schema that cannot be used refuses nothing: the vendor decides', () => {
  expect(checked({ fields: { name: 1 } }, { kind: 'unchecked' })).toMatchObject({ fields: { name: 1 } });
});
