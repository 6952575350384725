import { expect, test } from 'vitest';
import { readPage } from './page.ts';

test('no page is the first 100 records', () => {
  expect(readPage(undefined)).toEqual({ offset: 0, top: 100 });
});

test.each([
  [0, 1],
  [7, 100],
])('offset %i and top %i are taken as they are', (offset, top) => {
  expect(readPage({ offset, top })).toEqual({ offset, top });
});

test('everything out of range is named at once', () => {
  const refusal = (fields: readonly string[]): unknown =>
    expect.objectContaining({
      code: 'VALIDATION_ERROR',
      details: fields.map((field): unknown => expect.objectContaining({ field })),
    });
  expect(() => readPage({ offset: 0, top: 0 })).toThrow(refusal(['top']));
  expect(() => readPage({ offset: 0, top: 101 })).toThrow(refusal(['top']));
  expect(() => readPage({ offset: -1, top: 0 })).toThrow(refusal(['offset', 'top']));
});
