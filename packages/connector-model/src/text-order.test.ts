import { describe, expect, it } from 'vitest';
import { compareCodePoints, compareText } from './text-order.ts';

describe('compareCodePoints', () => {
  it('orders by code point where UTF-16 units would differ', () => {
    // By code point, U+FF5A precedes U+1F600; by UTF-16 unit, it follows U+1F600's first unit, U+D83D.
    expect(compareCodePoints('ｚ', '😀')).toBeLessThan(0);
  });

  it('puts a prefix before the whole', () => {
    expect(compareCodePoints('crm', 'crm-2')).toBeLessThan(0);
    expect(compareCodePoints('crm-2', 'crm')).toBeGreaterThan(0);
    expect(compareCodePoints('crm', 'crm')).toBe(0);
  });
});

describe('compareText', () => {
  it('ignores case', () => {
    expect(compareText('Alpha', 'beta')).toBeLessThan(0);
    expect(compareText('BETA', 'beta')).toBe(0);
  });

  it('orders texts as their small letters, wherever the first one that is not ASCII stands', () => {
    const parts = ['', 'a', 'B', 'z', '[', '_', '0', 'é', 'É', 'Σ', 'ς', 'İ', 'ß', 'ｚ', '😀'];
    const texts = parts.flatMap((a) => parts.flatMap((b) => parts.map((c) => a + b + c)));
    const wrong = texts.flatMap((a, at) => {
      const b = texts[(at * 7 + 3) % texts.length] ?? '';
      const expected = compareCodePoints(a.toLowerCase(), b.toLowerCase());
      return Math.sign(compareText(a, b)) === Math.sign(expected) ? [] : [[a, b]];
    });
    expect(wrong).toEqual([]);
  });
});
