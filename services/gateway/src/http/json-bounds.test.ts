import { seededRandom } from '@fairlead/service-kit/testing/random';
import type { Random } from '@fairlead/service-kit/testing/random';
import { describe, expect, test } from 'vitest';
import { MAX_DEPTH, requireJsonBounds } from './json-bounds.ts';

const scan = (text: string, maxValues = 100_000) => requireJsonBounds(Buffer.from(text), maxValues);

const TEXTS = [
  '',
  'a',
  '\\',
  '"',
  '\\"',
  '{[,]}',
  '\u{1f642}',
  'é',
  '__proto',
  '__proto___',
  'x'.repeat(60),
] as const;
const NUMBERS = [0, -0.5, 1e300, -1.5e-300, 12_345_678_901] as const;
const SPACES = ['', ' ', '\n\t', '\r\n'] as const;

/** JSON text, with space between its parts and characters escaped at random, and its number of values. */
function randomJson(random: Random, depth = 0): { text: string; values: number } {
  const space = (): string => random.pick(SPACES);
  const quoted = (): string => {
    const text = JSON.stringify(random.pick(TEXTS));
    if (random.chance(0.5)) return text;
    return text.replaceAll(/[a-z_é]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  };
  const kind = random.below(depth < 4 ? 6 : 4);
  if (kind === 0) return { text: random.pick(['true', 'false', 'null']), values: 1 };
  if (kind === 1) return { text: String(random.pick(NUMBERS)), values: 1 };
  if (kind <= 3) return { text: quoted(), values: 1 };
  const parts = Array.from({ length: random.below(5) }, () => randomJson(random, depth + 1));
  const texts = parts.map(({ text }) => {
    const name = kind === 4 ? '' : `${quoted()}${space()}:${space()}`;
    return `${space()}${name}${text}${space()}`;
  });
  const values = parts.reduce((sum, part) => sum + part.values, 1);
  const inner = texts.length === 0 ? space() : texts.join(',');
  return { text: kind === 4 ? `[${inner}]` : `{${inner}}`, values };
}

describe('the bounds of a body', () => {
  test('every value counts as one, however it is written', () => {
    const random = seededRandom(11);
    for (let round = 0; round < 2000; round += 1) {
      const { text, values } = randomJson(random);
      JSON.parse(text);
      expect(scan(text, values), text).toBe(false);
      expect(() => scan(text, values - 1), text).toThrow('more than');
    }
  });

  test('one value too many is refused, naming the bound', () => {
    const body = (items: number) => `{"a":[${Array(items).fill('{}').join(',')}]}`;
    expect(scan(body(99_998))).toBe(false);
    expect(() => scan(body(99_999))).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        details: [{ field: 'body', issue: 'must not hold more than 100000 JSON values' }],
      }),
    );
  });

  test('one level too many is refused, naming the bound', () => {
    const body = (levels: number) => `{"a":${'[{"b":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}}`;
    expect(scan(body(MAX_DEPTH))).toBe(false);
    expect(() => scan(body(MAX_DEPTH + 2))).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        details: [{ field: 'body', issue: 'must not be nested more than 32 levels deep' }],
      }),
    );
  });

  test.each([
    ['half of a surrogate pair', String.raw`["\ud83d"]`],
    ['half of a pair before other text', String.raw`["\ud83dx"]`],
    ['two first halves', String.raw`["\ud83d\ud83d\ude42"]`],
    ['two second halves', String.raw`["\ud83d\ude42\ude42"]`],
    ['the halves apart', String.raw`["\ud83d-\ude42"]`],
    ['half of a pair before an escape', String.raw`["\ud83d\n\ude42"]`],
    ['U+0000 in a name', String.raw`{"a\u0000" : 1}`],
    ['the name __proto__', '{"a":[{"__proto__"\n:1}]}'],
    ['that name with escapes', String.raw`{"\u005f_prot\u006F_\u005F":1}`],
    ['an exponent that is too large', '[1e309]'],
    ['one with a sign', '[-1.5E+400]'],
    ['one with zeros', '[1e0000000000000000000000309]'],
    ['too many digits', `[${'9'.repeat(310)}]`],
    ['too many digits with an exponent', `[${'9'.repeat(300)}e9]`],
  ])('%s is for guardJson to judge', (_what, text) => {
    expect(scan(text)).toBe(true);
  });

  test.each([
    ['a pair of surrogates', String.raw`["\uD83D\ude42"]`],
    ['an escaped backslash before `u`', String.raw`["\\ud83d"]`],
    ['U+0000 in a value', String.raw`["\u0000"]`],
    ['__proto__ as a value', '["__proto__"]'],
    ['large numbers', `[1e307,${'9'.repeat(300)},1e-999,-0.0e+5]`],
  ])('%s is nothing to judge', (_what, text) => {
    expect(scan(text)).toBe(false);
  });

  test.each(['', '"', '"\\', '["\\u00', '[1e', '-', '[[[', ']]]', '{"a"', '\u{fffd}', '[-]'])(
    'what is not JSON is left to JSON.parse: %s',
    (text) => {
      expect(() => scan(text)).not.toThrow();
    },
  );
});
