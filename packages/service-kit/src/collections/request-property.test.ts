import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createRequestProperty } from './request-property.ts';

test('each property has a value of its own for each object', () => {
  const [first, second] = [
    createRequestProperty<object, string>('first'),
    createRequestProperty<object, string>('second'),
  ];
  const [a, b] = [{}, { known: 1 }];
  first.set(a, 'a');
  first.set(a, 'a again');
  second.set(b, 'b');
  expect([first.get(a), first.get(b), second.get(a), second.get(b)]).toEqual([
    'a again',
    undefined,
    undefined,
    'b',
  ]);
  expect(inspect(b)).toContain('Symbol(second)');
});
