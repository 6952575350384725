import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  guidText,
  instant,
  jsonObject,
  lazyObject,
  lazyValue,
  passedObject,
  passedValue,
  searchText,
  text,
} from './fields.ts';
import { parseInput } from './issues.ts';

const issueOf = (schema: Parameters<typeof parseInput>[0], input: unknown) =>
  parseInput(schema, input).findings.map(({ issue }) => issue);

describe('text', () => {
  test('is counted by code points at both ends, as JSON Schema counts it', () => {
    const field = text(3, 4);
    expect(issueOf(field, '🙂🙂🙂')).toEqual([]);
    expect(issueOf(field, '🙂🙂🙂🙂')).toEqual([]);
    expect(issueOf(field, '🙂🙂')).toEqual(['must be at least 3 characters long']);
    expect(issueOf(field, 'ab')).toEqual(['must be at least 3 characters long']);
    expect(issueOf(field, '🙂🙂🙂🙂🙂')).toEqual(['must be at most 4 characters long']);
    expect(issueOf(text(1, 4), '')).toEqual(['must not be empty']);
  });

  test('to search for is counted so, too', () => {
    expect(issueOf(searchText, '🙂'.repeat(1000))).toEqual([]);
    expect(issueOf(searchText, '🙂'.repeat(1001))).toEqual(['must be at most 1000 characters long']);
  });
});

test('unparsed JSON is accepted by the schemas that pass on, and by no other', () => {
  const accepts = (value: unknown) => (schema: Parameters<typeof parseInput>[0]) =>
    parseInput(schema, value).findings.length === 0;
  const object = new LazyJson(Buffer.from('{"a":1}'));
  expect([passedObject, passedValue, lazyObject, lazyValue].every(accepts(object))).toBe(true);
  const others = [jsonObject, z.object({ a: z.int() }), z.record(z.string(), z.int()), text(0, 100)];
  expect(others.filter(accepts(object))).toEqual([]);
  expect([jsonObject, passedObject, passedValue].every(accepts({ a: 1 }))).toBe(true);
  const array = new LazyJson(Buffer.from('[1]'));
  expect([passedObject, lazyObject].filter(accepts(array))).toEqual([]);
});

test('a GUID is read in lower case', () => {
  const id = '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4';
  expect(parseInput(guidText, id.toUpperCase())).toEqual({ value: id, findings: [] });
});

describe('a time', () => {
  test.each(['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2026-01-31T12:00:00+01:00'])(
    '%s is read',
    (input) => {
      expect(parseInput(instant, input)).toEqual({ value: new Date(input), findings: [] });
    },
  );

  test.each(['9999-12-31T23:59:59-01:00', '0001-01-01T00:00:00+01:00', '0000-06-01T00:00:00Z'])(
    '%s is refused: in UTC no answer and no service could write it',
    (input) => {
      expect(issueOf(instant, input)).toEqual(['must be in the years 0001 to 9999 in UTC']);
    },
  );
});
