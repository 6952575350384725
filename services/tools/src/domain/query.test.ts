import { expect, test } from 'vitest';
import { toolDefinition } from '../testing/fixtures.ts';
import { checkQuery } from './query.ts';
import type { RequestedFilter, RequestedQuery } from './query.ts';

const tool = toolDefinition();
const query = (o: Partial<RequestedQuery>): RequestedQuery => ({
  filters: [],
  sorts: [],
  top: undefined,
  offset: undefined,
  ...o,
});
const fieldsOf = (o: Partial<RequestedQuery>, of = tool): string[] =>
  checkQuery(of, query(o)).issues.map(({ field }) => field);
const byName: RequestedFilter = { field: 'name', operator: 'eq', value: 'Ada' };

test('a query that the tool supports passes unchanged', () => {
  const requested = query({
    filters: [byName],
    sorts: [{ field: 'name', direction: 'desc' }],
    top: 100,
    offset: 0,
  });
  expect(checkQuery(tool, requested)).toEqual({ query: requested, issues: [] });
});

test('what the tool does not support is named', () => {
  const bare = toolDefinition({ filters: null, sorts: null, paging: null });
  const issues = fieldsOf(
    { filters: [byName], sorts: [{ field: 'name', direction: 'asc' }], top: 1, offset: 0 },
    bare,
  );
  expect(issues).toEqual(['filters', 'sorts', 'top', 'offset']);
});

test('more conditions or clauses than the maximum are refused; the maximum is accepted', () => {
  const sort = { field: 'name', direction: 'asc' } as const;
  expect(fieldsOf({ filters: [byName, byName, byName], sorts: [sort, sort] })).toEqual(['filters', 'sorts']);
  expect(fieldsOf({ filters: [byName, byName], sorts: [sort] })).toEqual([]);
});

test('an unknown field is named by position, and * stands for any field', () => {
  expect(
    fieldsOf({
      filters: [byName, { ...byName, field: 'nope' }],
      sorts: [{ field: 'nope', direction: 'asc' }],
    }),
  ).toEqual(['filters[1].field', 'sorts[0].field']);
  const open = toolDefinition({ filters: { max: 2, fields: ['*'], query: { name: 'q', value: '' } } });
  expect(fieldsOf({ filters: [{ ...byName, field: 'whatever' }] }, open)).toEqual([]);
  expect(fieldsOf({ filters: [{ ...byName, field: '' }] }, open)).toEqual(['filters[0].field']);
});

test('an operator that has no parameter for the field is refused', () => {
  const byField = { name: { eq: 'name' }, email: { eq: 'email', contains: 'email_like' } };
  const parts = toolDefinition({ filters: { max: 5, fields: ['name', 'email'], query: null, byField } });
  const like = { operator: 'contains', value: 'a' } as const;
  const requested = query({ filters: [byName, { ...like, field: 'email' }, { ...like, field: 'name' }] });
  expect(checkQuery(parts, requested).issues).toEqual([
    { field: 'filters[2].operator', issue: 'must be one of: eq' },
  ]);
});

test('an unknown operator or direction is INVALID_ENUM_VALUE listing the accepted ones, even if filters are not supported', () => {
  const bare = toolDefinition({ filters: null, sorts: null });
  expect(() => checkQuery(bare, query({ filters: [{ ...byName, operator: undefined }] }))).toThrow(
    expect.objectContaining({
      code: 'INVALID_ENUM_VALUE',
      message: expect.stringContaining('startsWith') as string,
      details: [expect.objectContaining({ field: 'filters[0].operator' })] as unknown[],
    }),
  );
  expect(() => checkQuery(bare, query({ sorts: [{ field: 'name', direction: undefined }] }))).toThrow(
    expect.objectContaining({
      code: 'INVALID_ENUM_VALUE',
      message: expect.stringContaining('asc, desc') as string,
    }),
  );
});

test.each([
  ['eq', 'text', true],
  ['eq', null, false],
  ['eq', ['a'], false],
  ['ne', false, true],
  ['gt', 3, true],
  ['gte', true, false],
  ['lt', '2026-01-01', true],
  ['lte', {}, false],
  ['in', ['a', 1], true],
  ['in', [], false],
  ['in', 'a', false],
  ['in', [['a']], false],
  ['contains', 'a', true],
  ['contains', 1, false],
  ['startsWith', null, false],
  ['isNull', true, true],
  ['isNull', 'true', false],
  ['isNull', undefined, false],
] as const)('the operator %s with %j: accepted %s', (operator, value, isAccepted) => {
  expect(fieldsOf({ filters: [{ field: 'name', operator, value }] })).toEqual(
    isAccepted ? [] : ['filters[0].value'],
  );
});

test.each([
  [{ top: 0 }, ['top']],
  [{ top: 101 }, ['top']],
  [{ top: 1, offset: -1 }, ['offset']],
])('paging out of range is named: %j', (requested, issues) => {
  expect(fieldsOf(requested)).toEqual(issues);
});
