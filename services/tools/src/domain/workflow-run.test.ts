import type { Json } from '@fairlead/connector-model/json';
import { expect, test } from 'vitest';
import { combined, contextOf, failure, holds, itemsOf, outputsById, runOutput } from './workflow-run.ts';

test.each<[Json | undefined, boolean]>([
  [undefined, false],
  [null, false],
  [0, false],
  ['', false],
  [{}, false],
  [[], false],
  [[0, [null]], false],
  [true, true],
  ['false', true],
  [[0, 1], true],
  [{ a: null }, true],
])('the condition %j is cast as JSONata casts it', (value, expected) => {
  expect(holds(value)).toBe(expected);
});

test('nothing has no items, and what is no list is the only one', () => {
  expect([undefined, null, [], [1, 2], 0, { a: 1 }].map(itemsOf)).toEqual([
    [],
    [],
    [],
    [1, 2],
    [0],
    [{ a: 1 }],
  ]);
});

test('the outputs of items keep their places, and the first failure is named', () => {
  const success = (output: Json) => ({ isSuccess: true, output, errorMessage: null });
  expect(combined([success(1), failure('No.'), failure('Never.'), success(2)])).toEqual({
    isSuccess: false,
    output: [1, null, null, 2],
    errorMessage: 'Item 1: No.',
  });
  expect(combined([])).toEqual({ isSuccess: true, output: [], errorMessage: null });
});

test('an output is an object, whatever it is made of', () => {
  expect([undefined, null, [1], 'a', { a: 1 }].map(runOutput)).toEqual([
    {},
    {},
    { value: [1] },
    { value: 'a' },
    { a: 1 },
  ]);
  const results = { a: { isSuccess: true, output: { x: 1 }, errorMessage: null }, b: failure('No.') };
  expect(outputsById(results)).toEqual({ a: { x: 1 }, b: null });
  expect(contextOf({}, results, 0)).toEqual({ input: {}, steps: results, item: 0 });
  expect(contextOf({}, {}, undefined)).toEqual({ input: {}, steps: {} });
});
