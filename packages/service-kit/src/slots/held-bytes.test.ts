import { expect, test } from 'vitest';
import { heldBytes } from './held-bytes.ts';

test('what a value takes in memory grows with its texts, its names and the number of its values', () => {
  const text = 'x'.repeat(1_000);
  expect(heldBytes({ a: [text] }) - heldBytes({ a: [''] })).toBe(1_000);
  expect(heldBytes({ [text]: 1 }) - heldBytes({ '': 1 })).toBe(1_000);
  expect(heldBytes(Array.from({ length: 1_000 }, () => ({})))).toBeGreaterThan(16 * 1_000);
  expect(heldBytes([[], null, true, 1.5])).toBe(5 * heldBytes(null));
});
