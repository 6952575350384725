import { expect, test } from 'vitest';
import { LazyJson } from '../json/lazy-json.ts';
import { heldBytes } from './held-bytes.ts';

test('what a value takes in memory grows with its texts, its names and the number of its values', () => {
  const text = 'x'.repeat(1_000);
  expect(heldBytes({ a: [text] }) - heldBytes({ a: [''] })).toBe(1_000);
  expect(heldBytes({ [text]: 1 }) - heldBytes({ '': 1 })).toBe(1_000);
  expect(heldBytes(Array.from({ length: 1_000 }, () => ({})))).toBeGreaterThan(16 * 1_000);
  expect(heldBytes([[], null, true, 1.5])).toBe(5 * heldBytes(null));
});

test('a value that nobody has parsed counts with its JSON', () => {
  const held = { a: new LazyJson(Buffer.from('"no JSON')) };
  expect(heldBytes(held)).toBe(heldBytes({ a: 'no JSON' }) + 1);
});
