import { expect, it } from 'vitest';
import { valueAt } from './json-pointer.ts';

const document = { a: [{ b: 1 }, 2], 'x/y': { '~': 3 }, '': 4, n: null };

it.each([
  ['', document],
  ['/a/0/b', 1],
  ['/a/1', 2],
  ['/x~1y/~0', 3],
  ['/', 4],
  ['/n', null],
  ['/a/2', undefined],
  ['/a/-1', undefined],
  ['/a/01', undefined],
  ['/a/length', undefined],
  ['/n/x', undefined],
  ['/constructor', undefined],
  ['/a/0/b/c', undefined],
])('finds what %j points to (RFC 6901), own members only', (pointer, expected) => {
  expect(valueAt(document, pointer)).toEqual(expected);
});
