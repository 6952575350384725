import type { JsonObject } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { MAX_DEPTH } from './json-bounds.ts';
import { guardJson } from './json-guard.ts';

const parse = (text: string) => JSON.parse(text) as JsonObject;
const nested = (levels: number, open: string, close: string) =>
  parse(`{"a":${open.repeat(levels)}${close.repeat(levels)}}`);

describe('the guard of bodies', () => {
  test('what it lets through, services can parse', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"b":', '}'],
    ] as const) {
      const body =
        open === '['
          ? nested(MAX_DEPTH, open, close)
          : parse(`{"a":${open.repeat(MAX_DEPTH)}1${close.repeat(MAX_DEPTH)}}`);
      expect(new LazyJson(jsonBytes(body)).parse()).toEqual(body);
    }
  });

  test.each([
    ['{"a":{"b":["x","\\ud800"]}}', 'a.b[1]'],
    ['{"a":[1e999]}', 'a[0]'],
    ['{"a":{"b\\u0000c":1}}', 'a.b\0c'],
    ['{"a":{"\\udfff":1}}', 'a.\udfff'],
  ])('%s is refused, naming the place', (text, field) => {
    expect(() => guardJson(parse(text))).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', details: [expect.objectContaining({ field })] }),
    );
  });

  test('a long name is cut in the error', () => {
    expect(() => guardJson(parse(`{"${'a'.repeat(1_000_000)}\\u0000":1}`))).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ field: 'a'.repeat(1000) })] }),
    );
  });

  test('__proto__ is taken out at every level; other names stay', () => {
    const body = parse('{"__proto__":{"x":1},"a":[{"__proto__":1,"constructor":2,"b":3}]}');
    guardJson(body);
    expect(JSON.stringify(body)).toBe('{"a":[{"constructor":2,"b":3}]}');
  });
});
