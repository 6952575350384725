import { expect, it } from 'vitest';
import { columnParser } from './column-values.ts';

it.each([
  ['int4', 23, '-7', -7],
  ['int8 keeps every digit', 20, '9223372036854775807', '9223372036854775807'],
  ['numeric keeps every digit', 1700, '0.10', '0.10'],
  ['float8', 701, '1.5', 1.5],
  ['float8 without a JSON form', 701, 'NaN', 'NaN'],
  ['bool', 16, 'f', false],
  ['timestamptz', 1184, '2026-01-31 10:00:00.5+00', '2026-01-31T10:00:00.5Z'],
  ['timestamp', 1114, '2026-01-31 10:00:00', '2026-01-31T10:00:00'],
  ['infinity', 1184, 'infinity', 'infinity'],
  ['date', 1082, '2026-01-31', '2026-01-31'],
  ['jsonb', 3802, '{"a":[1]}', { a: [1] }],
  ['bytea', 17, '\\xff00', '/wA='],
  ['int4[]', 1007, '{1,NULL,2}', [1, null, 2]],
  ['numeric[] keeps every digit', 1231, '{0.10}', ['0.10']],
  ['text[]', 1009, '{a,"b,c"}', ['a', 'b,c']],
  [
    'int4[][]',
    1007,
    '{{1,2},{3,4}}',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ['int4[] with other bounds', 1007, '[0:1]={1,2}', [1, 2]],
  ['an empty array', 1009, '{}', []],
  [
    'text[] with quotes',
    1009,
    '{"a \\"b\\" \\\\","","NULL",NULL,"{}"}',
    ['a "b" \\', '', 'NULL', null, '{}'],
  ],
  ['a type of the database’s own', 99999, '(1,2)', '(1,2)'],
])('%s', (_name, oid, text, value) => {
  expect(columnParser(oid)(text)).toEqual(value);
});

it.each(['', '{', '{"a', '{{{{{{{1}}}}}}}', '1', '{1}2', '[0:1]', '{a\\'])(
  'does not accept %j as an array',
  (text) => {
    expect(() => columnParser(1009)(text)).toThrow('an array that cannot be read');
  },
);

it('parses arrays in time linear to their length: otherwise the test would not end in its own', () => {
  const values = Array.from({ length: 300_000 }, (_value, index) => `a "${index}"`);
  const text = `{${values.map((value) => JSON.stringify(value)).join(',')}}`;
  expect(JSON.stringify(columnParser(1009)(text)) === JSON.stringify(values)).toBe(true);
});
