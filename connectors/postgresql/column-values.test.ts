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
  ['a type of the database’s own', 99999, '(1,2)', '(1,2)'],
])('%s', (_name, oid, text, value) => {
  expect(columnParser(oid)(text)).toEqual(value);
});
