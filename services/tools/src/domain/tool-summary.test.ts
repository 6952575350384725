import { describe, expect, it } from 'vitest';
import { newToolSummary } from '../testing/toolsets.ts';
import { compareTools, mergedPage, windowOf } from './tool-summary.ts';

const tools = (...names: readonly string[]) => names.map((name) => newToolSummary(name));

describe('mergedPage', () => {
  const long = tools('b', 'd', 'f', 'h', 'j', 'l', 'n');

  it.each([
    [[]],
    [['a']],
    [['z']],
    [['a', 'c', 'e']],
    [['k', 'm', 'o', 'p']],
    [['a', 'a2', 'a3', 'g', 'z']],
    [['B', 'D', 'N']],
  ])('is a page of both lists, whatever the page, with %j among them', (few) => {
    const whole = [...long, ...tools(...few)].toSorted(compareTools).map(({ toolSlug }) => toolSlug);
    for (let offset = 0; offset <= whole.length + 1; offset += 1) {
      for (let top = 1; top <= 4; top += 1) {
        const page = { offset, top };
        const window = windowOf(page, few.length);
        const items = long.slice(window.offset, window.offset + window.top);
        const merged = mergedPage({ offset: window.offset, items }, tools(...few), page);
        expect(merged.map(({ toolSlug }) => toolSlug)).toEqual(whole.slice(offset, offset + top));
      }
    }
  });
});

describe('compareTools', () => {
  it('orders by name, ignoring case, then by slug, then by application', () => {
    const [first, second, third, last] = [
      newToolSummary('z', { toolName: 'a' }),
      newToolSummary('b', { toolName: 'B' }),
      newToolSummary('c', { toolName: 'b', applicationSlug: 'a' }),
      newToolSummary('c', { toolName: 'b', applicationSlug: 'b' }),
    ];
    expect([last, third, second, first].toSorted(compareTools)).toEqual([first, second, third, last]);
  });
});
