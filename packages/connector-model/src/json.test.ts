import { describe, expect, it } from 'vitest';
import { isJson } from './json.ts';

describe('isJson', () => {
  it.each([[null], [true], [0], [''], [[]], [{}], [{ a: [{ b: null }, 'x', -1.5] }]])(
    'is true of %j',
    (value) => {
      expect(isJson(value)).toBe(true);
    },
  );

  it.each([
    ['undefined', undefined],
    ['a member that is undefined', { a: undefined }],
    ['a number that is not finite', [Number.NaN, Number.POSITIVE_INFINITY]],
    ['a date', { a: new Date(0) }],
    ['a map', new Map()],
    ['a function', [() => 1]],
    ['a bigint', { a: { b: 1n } }],
  ])('is false of %s', (_name, value) => {
    expect(isJson(value)).toBe(false);
  });
});
