import { describe, expect, test } from 'vitest';
import { colorsOf, contrast, parse } from './theme.ts';

/** Every background on which the card pages place text. */
const GROUNDS = {
  light: ['#eef1f6', '#ffffff', '#f3f6fb'],
  dark: ['#10141b', '#1a202a', '#212936', '#12171f'],
};

const rolesOf = (colors: string): Record<string, string> =>
  Object.fromEntries(
    colors
      .split(';')
      .map((pair): [string, string] => [pair.slice(2, pair.indexOf(':')), pair.slice(pair.indexOf(':') + 1)]),
  );
const ratio = (one = '', other = ''): number => contrast(parse(one) ?? [0, 0, 0], parse(other) ?? [0, 0, 0]);

describe('the colours of an account', () => {
  test.each([
    '#ffcc00',
    '#ffffff',
    '#000000',
    '#777777',
    '#1a4fc4',
    '#ff0000',
    '#00ff00',
    '#0f766e',
    '#FFC0CB',
  ])('every text of %s has a contrast of 4.5 on every ground, light and dark', (primary) => {
    const colors = colorsOf(primary);
    for (const scheme of ['light', 'dark'] as const) {
      const roles = rolesOf(colors[scheme]);
      for (const ground of GROUNDS[scheme])
        expect(ratio(roles['accent'], ground), `${scheme} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      expect(ratio(roles['on-fill'], roles['fill'])).toBeGreaterThanOrEqual(4.5);
      expect(ratio(roles['on-fill'], roles['fill-strong'])).toBeGreaterThanOrEqual(4.5);
      expect(roles['fill']).toBe(primary.toLowerCase());
    }
  });

  test('a colour that is readable is kept as it is', () => {
    expect(rolesOf(colorsOf('#0f5f5a').light)['accent']).toBe('#0f5f5a');
  });

  test.each([null, '', 'red', '#fff', '#12345g', '#000000;}body{display:none'])(
    'nothing else reaches the style sheet: %s',
    (given) => expect(colorsOf(given)).toEqual({ light: '', dark: '' }),
  );
});

test('the contrast ratio is that of WCAG', () => {
  expect(ratio('#ffffff', '#000000')).toBeCloseTo(21, 5);
  expect(ratio('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
});
