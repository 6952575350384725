import { describe, expect, it } from 'vitest';
import { catalogued, testConnector } from '../testing/connectors.ts';
import { compareApplications, mergeSorted } from './order.ts';

const application = (name: string, slug: string) => catalogued(testConnector(slug, { name }));

describe('compareApplications', () => {
  it('orders by name, ignoring case, then by slug', () => {
    const sorted = [application('beta', 'b'), application('Alpha', 'z'), application('alpha', 'a')].toSorted(
      compareApplications,
    );
    expect(sorted.map(({ connector }) => connector.slug)).toEqual(['a', 'z', 'b']);
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
