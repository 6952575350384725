import { seededRandom } from '@fairlead/service-kit/testing/random';
import type { Random } from '@fairlead/service-kit/testing/random';
import { describe, expect, test } from 'vitest';
import { MAX_DEPTH, MAX_NAMES, requireJsonBounds } from './json-bounds.ts';

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
  'x'.repeat(200),
  `${'x'.repeat(100)}"${'é'.repeat(100)}\\${'x'.repeat(100)}`,
] as const;
const NUMBERS = [0, -0.5, 1e300, -1.5e-300, 12_345_678_901] as const;
const SPACES = ['', ' ', '\n\t', '\r\n'] as const;

/** Random JSON text, with white space and escapes, and its number of values. */
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

const members = (count: number, nameOf = (at: number) => `name-${at}`): string =>
  Array.from({ length: count }, (_member, at) => `"${nameOf(at)}":1`).join(',');
/** A count may be too low because of hash collisions, about one in two hundred. */
const TOO_MANY_NAMES = MAX_NAMES * 1.02;
const NAMES_REFUSED = { field: 'body', issue: 'must not hold more than 5000 different names' };

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

  test('too many different names are refused, naming the bound; a body never pays for the one before', () => {
    for (let round = 0; round < 5; round += 1) {
      expect(scan(`{${members(MAX_NAMES)}}`)).toBe(false);
      expect(() => scan(`{${members(TOO_MANY_NAMES)}}`)).toThrow(
        expect.objectContaining({ code: 'VALIDATION_ERROR', details: [NAMES_REFUSED] }),
      );
    }
  });

  test.each<[string, (at: number) => string]>([
    ['that differ in one byte', (at) => `${'x'.repeat(29)}${at}${'x'.repeat(29)}`],
    ['of digits', (at) => String(at * 3)],
    ['beyond ASCII', (at) => `é${String.fromCodePoint(0x4e00 + at)}`],
    ['with escapes', (at) => String.raw`\"${at}\n`],
  ])('names %s are different', (_what, nameOf) => {
    expect(scan(`{${members(MAX_NAMES, nameOf)}}`)).toBe(false);
    expect(() => scan(`{${members(TOO_MANY_NAMES, nameOf)}}`)).toThrow('different names');
  });

  test('a name of each object is a different one only where other names stand before it', () => {
    const records = (record: string) => `[${Array(9_000).fill(record).join(',')}]`;
    expect(scan(records('{"a":1,"b":{"c":2,"d":[{"e":3}]},"f" : 4,"g":"h:i","j":5}'))).toBe(false);
    const rotated = Array.from({ length: 200 }, (_object, at) => {
      const names = Array.from({ length: 60 }, (_name, index) => `"n${(index + at) % 60}":1`);
      return `{${names.join(',')}}`;
    });
    // Sixty objects with the same 60 names in different orders; the objects after them repeat an order.
    expect(scan(`[${rotated.join(',')}]`)).toBe(false);
    const apart = Array.from({ length: 30_000 }, (_object, at) => `{"n${at % 300}":1,"n${at % 299}":1}`);
    expect(() => scan(`[${apart.join(',')}]`)).toThrow('different names');
  });

  test('a long name counts once more for each 64 bytes', () => {
    const long = (at: number): string => `${'x'.repeat(64 * 9)}${at}`;
    expect(scan(`{${members(MAX_NAMES / 10, long)}}`)).toBe(false);
    expect(() => scan(`{${members(TOO_MANY_NAMES / 10, long)}}`)).toThrow('different names');
    const records = Array(1_000).fill(`{${members(3, long)}}`);
    expect(scan(`[${records.join(',')}]`)).toBe(false);
  });

  test('each name of an object beyond the 1000th counts', () => {
    const records = (count: number, names: number) =>
      `[${Array(count)
        .fill(`{${members(names)}}`)
        .join(',')}]`;
    expect(scan(records(90, 999))).toBe(false);
    expect(scan(records(3, 2_000))).toBe(false);
    expect(() => scan(records(6, 2_000))).toThrow('different names');
  });

  test('a route that takes more values takes more names', () => {
    expect(scan(`{${members(TOO_MANY_NAMES)}}`, 500_000)).toBe(false);
    expect(() => scan(`{${members(52_000)}}`, 500_000)).toThrow('more than 50000 different names');
  });

  test('colons and quotes in texts make no names', () => {
    const texts = Array.from({ length: 50_000 }, (_text, at) => String.raw`"a\":${at}:"`);
    expect(scan(`[${texts.join(',')}]`)).toBe(false);
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
