import { describe, expect, it } from 'vitest';
import type { Json } from '@fairlead/connector-model/json';
import { parseVendorJson, requireJsonLimits } from './json-limits.ts';

const values = (count: number): string =>
  `[${Array<string>(count - 1)
    .fill('{ }')
    .join(' , ')}]`;
const members = (count: number): string =>
  `{${Array.from({ length: count }, (_member, at) => `"name${at}":1`).join(',')}}`;
const nested = (levels: number): string => '[{"a":'.repeat(levels / 2) + '1' + '}]'.repeat(levels / 2);

const parsed = (text: string): Json => JSON.parse(text) as Json;

describe('parseVendorJson', () => {
  it.each(['1', 'null', '"a,[{\\"b\\\\"', '[]', '{ }', '[[ ], [{"a\\\\":[1,"]"]}]]'])('parses %s', (text) => {
    expect(parseVendorJson(text, 'It')).toEqual(JSON.parse(text));
  });

  it('allows the maximum number of values and of levels', () => {
    expect(parseVendorJson(values(100_000), 'It')).toHaveLength(99_999);
    expect(parseVendorJson(nested(200), 'It')).toEqual(JSON.parse(nested(200)));
  });

  it.each([
    ['too many items', values(100_001), 'It holds more than 100000 JSON values.'],
    ['too many members', `[${'{"a":1},'.repeat(50_000)}1]`, 'It holds more than 100000 JSON values.'],
    ['too many different names', members(10_200), 'It holds more than 10000 different names.'],
    ['too deep', nested(202), 'It nests JSON deeper than 200 levels.'],
    ['too deep without an end', '['.repeat(5_000_000), 'It nests JSON deeper than 200 levels.'],
  ])('refuses what is %s', (_name, text, message) => {
    expect(() => parseVendorJson(text, 'It')).toThrow(message);
  });

  it('allows the maximum number of names, and any number of records of the same ones', () => {
    expect(parseVendorJson(members(10_000), 'It')).toEqual(parsed(members(10_000)));
    const records = `[${Array<string>(9_000).fill(members(10)).join(',')}]`;
    expect(parseVendorJson(records, 'It')).toHaveLength(9_000);
  });

  it('counts no names in text that is no JSON', () => {
    const log = Array.from({ length: 20_000 }, (_line, at) => `10:00:${at} "a" b:${at}\n`).join('');
    expect(() => parseVendorJson(log, 'It')).toThrow(SyntaxError);
  });

  it('does not count what is in strings', () => {
    const text = JSON.stringify('[,{\\"'.repeat(200_000));
    expect(parseVendorJson(text, 'It')).toBe(JSON.parse(text));
  });

  it.each(['', '[', '"', '"\\', 'a,b', ']]'])('rejects %j, which is not JSON', (text) => {
    expect(() => parseVendorJson(text, 'It')).toThrow(SyntaxError);
  });
});

describe('requireJsonLimits', () => {
  it('counts every value as parseVendorJson does', () => {
    requireJsonLimits(parsed(values(100_000)), 'It');
    requireJsonLimits(parsed(nested(200)), 'It');
    expect(() => requireJsonLimits(parsed(values(100_001)), 'It')).toThrow('more than 100000');
    expect(() => requireJsonLimits(parsed(nested(202)), 'It')).toThrow('deeper than 200');
    expect(() => requireJsonLimits(parsed(nested(20_000)), 'It')).toThrow('deeper than 200');
  });

  it.each([
    [0],
    [-1.2345678901234567e-308],
    [[true, false, null, [], {}]],
    ['\u0000\u001f\ud800"\\é😀'],
    [{ '\u0001': '', b: { c: [1, 'x'] } }],
  ])('returns at least the bytes of the JSON text of %j', (value) => {
    expect(requireJsonLimits(value, 'It')).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(value)));
  });
});
