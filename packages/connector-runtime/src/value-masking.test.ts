import type { JsonObject } from '@fairlead/connector-model/json';
import { expect, test } from 'vitest';
import { cutMaskedObject } from './outputs/cut-json.ts';
import { createMasker } from './value-masking.ts';

const masker = createMasker(['delete-all', 'drop-all']);
const cut = (value: JsonObject) => cutMaskedObject(value, 10_000, masker);

test.each([
  ['as they are', masker.object],
  ['cut', cut],
])('members whose masked names are equal are all there, %s', (_how, mask) => {
  expect(mask({ 'delete-all': 1, '***': 2, 'drop-all': 3, other: 4 })).toEqual({
    '***': 1,
    '*** (2)': 2,
    '*** (3)': 3,
    other: 4,
  });
  expect(mask({ '*** (2)': 1, 'delete-all': 2, '***': 3 })).toEqual({ '*** (2)': 1, '***': 2, '*** (3)': 3 });
  expect(Object.entries(mask(JSON.parse('{"__proto__":1,"a":2}') as JsonObject))).toEqual([
    ['__proto__', 1],
    ['a', 2],
  ]);
});

test('very many equal names take linear time: otherwise the test would not end in its time', () => {
  const everything = createMasker(['x'.repeat(10_000_000)]);
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`name ${index}`, 1]));
  expect(Object.keys(everything.object(many))).toHaveLength(100_000);
});
