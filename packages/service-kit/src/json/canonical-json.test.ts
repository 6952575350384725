import { expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

test('values that are the same JSON have the same text, in whatever order their members are', () => {
  const text = '{"a":[1,null,{"c":"x","d":true}],"b":{}}';
  expect(canonicalJson(JSON.parse('{"b":{},"a":[1,null,{"d":true,"c":"x"}]}'))).toBe(text);
  expect(canonicalJson({ b: {}, none: undefined, a: [1, null, { d: true, c: 'x' }] })).toBe(text);
});

test('another order of a list is another value', () => {
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
});
