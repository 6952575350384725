import { expect, test } from 'vitest';
import { matchesTemplate } from './uri-template.ts';

test.each([
  ['x://{id}', 'x://1', true],
  ['x://{id}', 'y://1', false],
  ['x://{id}/log', 'x://1/log', true],
  ['x://{id}/log', 'x://log', false],
  ['x://{a}/m/{b}/z', 'x://1/m/2/z', true],
  ['x://{a}/m/{b}/z', 'x://1/2/z', false],
  // The literals must not overlap.
  ['x://a{id}a', 'x://a', false],
  ['x://{a}ab{b}b', 'x://1ab', false],
  ['x://1', 'x://1', true],
  ['x://1', 'x://12', false],
])('%s matches %s: %s', (template, uri, matches) => {
  expect(matchesTemplate(template, uri)).toBe(matches);
});

test('a hostile template takes no long time', () => {
  const template = `x://${'{a}b'.repeat(20_000)}{c}z`;
  expect(matchesTemplate(template, `x://${'b'.repeat(20_000)}`)).toBe(false);
});
