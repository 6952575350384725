import { expect, test } from 'vitest';
import { Failure } from './failure.ts';
import { parseListQuery } from './list-query.ts';
import type { ListQuery } from './list-query.ts';
import { contactType, dealType } from './record-types.ts';
import type { RecordType } from './record-types.ts';

function parse(query: string, type: RecordType = contactType): ListQuery {
  return parseListQuery(type, new URLSearchParams(query));
}

function problemsOf(query: string, type: RecordType = contactType): readonly string[] {
  try {
    parse(query, type);
  } catch (error) {
    if (error instanceof Failure && error.status === 400) {
      return (error.details ?? []).map((detail) => `${detail.field}: ${detail.message}`);
    }
    throw error;
  }
  return [];
}

function filterParameter(filter: string): string {
  return new URLSearchParams({ filter }).toString();
}

test('without parameters a list is its first 100 records', () => {
  expect(parse('')).toEqual({ top: 100, offset: 0, filters: [], sorts: [] });
});

test('repeated filters and sorts are kept in their order', () => {
  expect(
    parse(
      'filter=name:startsWith:"A"&filter=email:isNull:false&sort=company:desc&sort=name:asc&top=5&offset=10',
    ),
  ).toEqual({
    top: 5,
    offset: 10,
    filters: [
      { field: 'name', operator: 'startsWith', value: 'A' },
      { field: 'email', operator: 'isNull', value: false },
    ],
    sorts: [
      { field: 'company', direction: 'desc' },
      { field: 'name', direction: 'asc' },
    ],
  });
});

test('a filter value may hold colons, and a time is brought to UTC with milliseconds', () => {
  expect(parse(filterParameter('company:eq:"a:b:c"')).filters).toEqual([
    { field: 'company', operator: 'eq', value: 'a:b:c' },
  ]);
  expect(parse(filterParameter('createdAt:gte:"2026-01-05T10:00:00+01:00"')).filters).toEqual([
    { field: 'createdAt', operator: 'gte', value: '2026-01-05T09:00:00.000Z' },
  ]);
});

test.each([
  ['top=0', 'top: expected an integer, 1 to 100'],
  ['top=101', 'top: expected an integer, 1 to 100'],
  ['top=1.5', 'top: expected an integer, 1 to 100'],
  ['top=', 'top: expected an integer, 1 to 100'],
  ['top=1&top=2', 'top: given more than once'],
  ['offset=-1', 'offset: expected an integer, 0 or more'],
  ['limit=5', 'limit: unknown parameter, expected top, offset, filter, sort'],
  ['sort=name', 'sort[0]: expected <field>:asc or <field>:desc'],
  ['sort=name:up', 'sort[0]: expected <field>:asc or <field>:desc'],
  ['sort=constructor:asc', 'sort[0]: contacts have no field'],
  ['sort=id:asc&sort=name:asc&sort=email:asc', 'sort: at most 2 are supported, 3 were given'],
  ['filter=name', 'filter[0]: expected <field>:<operator>:<JSON value>'],
  ['filter=name:eq:Ada', 'filter[0]: the value is not JSON'],
  ['filter=age:eq:1', "filter[0]: contacts have no field 'age'"],
  ['filter=name:like:"A"', "filter[0]: unknown operator 'like'"],
  ['filter=name:eq:1', "filter[0]: 'name' is compared with text"],
  ['filter=name:eq:null', "filter[0]: 'name' is compared with text"],
  ['filter=name:isNull:"true"', "filter[0]: 'isNull' takes true or false"],
  ['filter=name:in:"A"', "filter[0]: 'in' takes a list of 1 to 100 values"],
  ['filter=name:in:[]', "filter[0]: 'in' takes a list of 1 to 100 values"],
  ['filter=name:in:["A",1]', "filter[0]: 'in' takes a list of 1 to 100 values"],
  ['filter=createdAt:gt:"yesterday"', "filter[0]: 'createdAt' is compared with an ISO 8601 time"],
  ['filter=createdAt:contains:"2026"', "filter[0]: 'contains' works on text"],
])('%s is refused by name', (query, problem) => {
  expect(problemsOf(query)).toEqual([expect.stringContaining(problem)]);
});

test('a number field is compared with numbers only, and not searched as text', () => {
  expect(problemsOf('filter=amount:gt:"5"', dealType)).toEqual([
    "filter[0]: 'amount' is compared with a number",
  ]);
  expect(problemsOf('filter=amount:startsWith:"5"', dealType)).toEqual([
    "filter[0]: 'startsWith' works on text, and 'amount' is a number",
  ]);
});

test('a sixth filter is refused', () => {
  const filters = Array.from({ length: 6 }, () => 'filter=id:isNull:false').join('&');
  expect(problemsOf(filters)).toEqual(['filter: at most 5 are supported, 6 were given']);
});

test('all problems are reported at once', () => {
  expect(problemsOf('top=0&offset=x&sort=y')).toHaveLength(3);
});
