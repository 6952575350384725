import { describe, expect, it } from 'vitest';
import { catalogued, testConnector } from '../testing/connectors.ts';
import { compareApplications, compareCodePoints, mergeSorted } from './order.ts';

const application = (name: string, slug: string) => catalogued(testConnector(slug, { name }));

describe('compareApplications', () => {
  it('orders by name, ignoring case, then by slug', () => {
    const sorted = [application('beta', 'b'), application('Alpha', 'z'), application('alpha', 'a')].toSorted(
      compareApplications,
    );
    expect(sorted.map(({ connector }) => connector.slug)).toEqual(['a', 'z', 'b']);
  });
});

describe('compareCodePoints', () => {
  it('orders by code point where UTF-16 units would differ', () => {
    // U+FF5A is below U+1F600, whose first UTF-16 unit (U+D83D) is below U+FF5A.
    expect(compareCodePoints('ｚ', '😀')).toBeLessThan(0);
  });

  it('puts a prefix before the whole', () => {
    expect(compareCodePoints('crm', 'crm-2')).toBeLessThan(0);
    expect(compareCodePoints('crm-2', 'crm')).toBeGreaterThan(0);
    expect(compareCodePoints('crm', 'crm')).toBe(0);
  });
});

describe('mergeSorted', () => {
  const byValue = (a: number, b: number): number => a - b;

  it.each([
    [[], []],
    [[1, 2], []],
    [[], [1, 2]],
    [
      [1, 4, 5],
      [2, 3, 6, 7],
    ],
    [
      [5, 6],
      [1, 2],
    ],
    [
      [1, 2],
      [5, 6],
    ],
  ])('merges %j and %j into one sorted list', (a, b) => {
    expect(mergeSorted(a, b, byValue)).toEqual([...a, ...b].toSorted(byValue));
  });
});
