import { expect, it } from 'vitest';
import { cutText } from './cut-text.ts';

it.each([
  ['ab', 'ab'],
  ['abcd', 'abc'],
  ['ab😀', 'ab'],
  ['a😀b', 'a😀'],
  ['a\ud800', 'a\ufffd'],
])('cuts %j at 3 units to %j, which is well-formed', (text, expected) => {
  expect(cutText(text, 3)).toBe(expected);
  expect(cutText(text, 3).isWellFormed()).toBe(true);
});
