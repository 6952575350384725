import { seededRandom } from '@fairlead/service-kit/testing/random';
import { describe, expect, test } from 'vitest';
import { isJson } from './is-json.ts';

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
const accepts = (text: string): boolean => isJson(Buffer.from(text));

describe('isJson accepts what JSON.parse accepts', () => {
  test.each([
    '',
    ' ',
    'null',
    ' true\r\n',
    'fals',
    'nulls',
    'True',
    '0',
    '-0',
    '01',
    '-',
    '1.',
    '.5',
    '1.5e+10',
    '1E-2',
    '1e',
    '1e+',
    '+1',
    '0x1',
    '1 2',
    'NaN',
    '""',
    '"a',
    '"\t"',
    '"\u007f\u2028é\u{1f642}"',
    String.raw`"\"\\\/\b\f\n\r\t\u00eF"`,
    String.raw`"\x"`,
    String.raw`"\u00g0"`,
    String.raw`"\u00"`,
    String.raw`"\ud800"`,
    '"\\',
    '[]',
    '[ ]',
    '[,]',
    '[1,]',
    '[1 2]',
    '[1}',
    '[[],[[]],{}]',
    ']',
    '[]]',
    '[',
    '{}',
    '{ }',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{"a" : 1 , "b" : [ { } ] }',
    '{a:1}',
    "{'a':1}",
    '{1:1}',
    '{"a":1]',
    '{"a":1 "b":2}',
    '{"__proto__":1}',
    '\u00a0[]',
    '\ufeff[]',
    '// c\n1',
  ])('%j', (text) => {
    expect(accepts(text)).toBe(parses(text));
  });

  test('however a text is damaged', () => {
    const random = seededRandom(7);
    const whole = '{"a":[1,-2.5e-3,true,null,{"b\\u00e9\\n":"x","":[[],{}]}],"c":{"d":false} ,"e":0}';
    const signs = '{}[]",:\\-+.019eEu tfn';
    for (let round = 0; round < 20_000; round += 1) {
      const at = random.below(whole.length);
      const sign = signs[random.below(signs.length)] ?? '';
      const cut = random.below(3);
      const damaged = `${whole.slice(0, at)}${random.chance(0.6) ? sign : ''}${whole.slice(at + cut)}`;
      expect(accepts(damaged), damaged).toBe(parses(damaged));
    }
  });

  test('however deep it nests', () => {
    const nested = (levels: number): string => `${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`;
    expect(accepts(nested(100_000))).toBe(true);
    expect(accepts(nested(100_000).slice(0, -1))).toBe(false);
    expect(accepts('['.repeat(2_000_000))).toBe(false);
  });
});
