import { expect, it } from 'vitest';
import { uniqueNames } from './column-names.ts';

it('numbers repeated names, past names that are taken', () => {
  expect(uniqueNames(['a', 'a', 'b', 'a_2', 'a', 'a_2', 'a'])).toEqual([
    'a',
    'a_2',
    'b',
    'a_2_2',
    'a_3',
    'a_2_3',
    'a_4',
  ]);
});

it('is linear in the number of columns with the same name: otherwise the test would not end in its time', () => {
  const repeated = Array.from({ length: 300_000 }, () => '?column?');
  expect(uniqueNames(repeated).at(-1)).toBe('?column?_300000');
});
