import { expect, it } from 'vitest';
import { printable, properties, table } from './table.ts';

it('columns are as wide as their widest cell, and lines end without blanks', () => {
  const rows = [
    { name: 'a', count: 1 },
    { name: 'a longer one', count: null },
  ];
  const text = table(rows, [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'COUNT', value: ({ count }) => count },
    { title: 'X', value: () => '' },
  ]);
  expect(text).toBe('NAME          COUNT  X\na             1      -\na longer one  -      -\n');
});

it('letters that are put together count once', () => {
  expect(
    properties([
      ['e\u0301', 1],
      ['ab', true],
    ]),
  ).toBe('e\u0301   1\nab  yes\n');
});

it('no row leaves the titles', () => {
  expect(table([], [{ title: 'NAME', value: () => '' }])).toBe('NAME\n');
});

it('text of others cannot speak to the terminal', () => {
  expect(printable('a\u001B]0;title\u0007b\u001B[2Jc\nd\u202Ee')).toBe('abc d e');
});
