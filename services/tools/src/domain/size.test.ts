import { expect, test } from 'vitest';
import { cutText } from './size.ts';

test('a cut text says so and does not end in half a character', () => {
  expect(cutText('short', 5)).toBe('short');
  expect(cutText('ab😀cd', 3)).toBe('ab\uFFFD [cut: 3 more characters]');
});
