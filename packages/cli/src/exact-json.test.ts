import { expect, it } from 'vitest';
import { exactNumber, parseExactly } from './exact-json.ts';

it.each([
  '{"id":123456789012345678901234567890,"price":1.50,"big":1e400,"list":[-0,9007199254740993]}',
  '{"__proto__":{"a":12345678901234567890}}',
  '[true,null,"12345678901234567890"]',
])('%s is written as it was read', (text) => {
  expect(JSON.stringify(parseExactly(text))).toBe(text);
});

it('numbers that lose nothing are numbers', () => {
  expect(parseExactly('[1,-2.5,9007199254740991]')).toEqual([1, -2.5, 9007199254740991]);
  expect(exactNumber('10')).toBe(10);
});

it('text that is no JSON throws', () => {
  expect(() => parseExactly('{')).toThrow(SyntaxError);
});
