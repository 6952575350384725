import { expect, test } from 'vitest';
import { jsonFault } from './json-fault.ts';

test.each([
  ['{', 'line 1, column 2: expected }'],
  ['{"a":1,}', 'line 1, column 8: expected a name in double quotes'],
  ["{'a':1}", 'line 1, column 2: expected a value or a name in double quotes'],
  ['{"a":1\n "b":2}', 'line 2, column 2: expected a comma or a closing bracket'],
  [
    '{\n  "a": 1,\n  "b": ada@example.com\n}',
    'line 3, column 8: expected a value or a name in double quotes',
  ],
  ['{"a" 1}', 'line 1, column 6: expected a colon'],
  ['{"a":', 'line 1, column 6: expected a value'],
  ['[1,2', 'line 1, column 5: expected ]'],
  ['{} {}', 'line 1, column 4: expected nothing more'],
  ['{"a":1.}', 'line 1, column 6: the number is not complete'],
  ['// no\n{}', 'line 1, column 1: comments are not JSON'],
  ['{"a":"x\ny"}', 'line 1, column 6: the text that begins here does not end on its line'],
])('%j is wrong at %s', (text, fault) => {
  expect(jsonFault(text)).toBe(fault);
});

test.each([String.raw`{"a":"\q"}`, String.raw`{"a":"\u12"}`, '{"a":"\t"}'])(
  'the text in %j is named by its beginning',
  (text) => {
    expect(jsonFault(text)).toMatch(/^line 1, column 6: the text that begins here has an /);
  },
);

test('JSON has no fault', () => {
  expect(jsonFault('{"a":[1,{"b":null}]}')).toBeUndefined();
});

test('a large text is read up to its first fault only', () => {
  expect(jsonFault(`[${'x '.repeat(1_000_000)}`)).toMatch(/^line 1, column 2: /);
});
