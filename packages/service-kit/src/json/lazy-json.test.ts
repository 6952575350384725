import { describe, expect, test } from 'vitest';
import { isJsonText, jsonBytes, jsonPieces, LazyJson, parsed, parsedMembers } from './lazy-json.ts';

const lazy = (text: string): LazyJson => new LazyJson(Buffer.from(text), 'fields.a');

test('nothing is parsed until it is read: bytes that are no JSON are passed on, from any depth', () => {
  const [bytes, other] = [Buffer.from('{no JSON'), Buffer.from('"é')];
  const value = { a: 'é', b: [{ c: new LazyJson(bytes), d: undefined }, new LazyJson(other)] };
  expect(jsonBytes(value).toString()).toBe('{"a":"é","b":[{"c":{no JSON},"é]}');
  expect(jsonPieces(value)).toContain(bytes);
  expect(jsonBytes(new LazyJson(bytes))).toEqual(bytes);
});

test('a value without any is what JSON.stringify writes, and one that cannot be written leaves nothing behind', () => {
  expect(jsonPieces({ a: { b: [1], c: undefined } })).toBe('{"a":{"b":[1]}}');
  expect(jsonBytes({ a: 'é' })).toEqual(Buffer.from('{"a":"é"}'));
  expect(() => jsonPieces({ a: lazy('[1]'), b: 1n })).toThrow(TypeError);
  expect(JSON.stringify({ a: lazy('[1]') })).toBe('{"a":[1]}');
});

test('numbers keep their digits, and names that occur twice stay, until it is parsed', () => {
  const text = '{"n":12345678901234567890,"n":1e400}';
  expect(jsonBytes({ of: lazy(text) }).toString()).toBe(`{"of":${text}}`);
  expect(lazy('{"n":1,"n":12345678901234567890}').parse()).toEqual({ n: 12345678901234567000 });
});

describe('parse', () => {
  test('is what the bytes are, once', () => {
    const json = lazy('{"a":[1,"é"]}');
    expect(json.parse()).toEqual({ a: [1, 'é'] });
    expect(json.parse()).toBe(json.parseObject());
    expect(lazy('null').parse()).toBeNull();
  });

  test('of the JSON of a value is that value', () => {
    const value = { a: [lazy('[1]')] };
    const json = LazyJson.of(value);
    expect([json.parse(), json.text]).toEqual([value, '{"a":[[1]]}']);
    expect(json.parse()).toBe(value);
  });

  test.each([
    ['no JSON', '{"a":', 'must be JSON in UTF-8'],
    ['nothing', '', 'must be JSON in UTF-8'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'must be JSON in UTF-8'],
    ['too deep', '['.repeat(51) + ']'.repeat(51), 'must not be nested more than 50 levels deep'],
    ['too many values', `[${'1,'.repeat(200_000)}1]`, 'must not hold more than 200000 JSON values'],
    [
      'too many names',
      JSON.stringify(Object.fromEntries(Array.from({ length: 25_000 }, (_, at) => [`m${at}`, at]))),
      'must not hold more than 20000 different names',
    ],
  ])('refuses %s before anything is built, and names the value', (_name, text, issue) => {
    const json = new LazyJson(Buffer.from(text), 'fields.a');
    expect(() => json.parse()).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', details: [{ field: 'fields.a', issue }] }),
    );
  });

  test('of a field that was left out is an object without members', () => {
    expect(LazyJson.object(new Uint8Array()).text).toBe('{}');
    expect(LazyJson.object(Buffer.from('[1]'), 'a').text).toBe('[1]');
  });

  test.each(['[1]', 'null', '"a"', '1'])('refuses %s as an object', (text) => {
    expect(() => lazy(text).parseObject()).toThrow(
      expect.objectContaining({ details: [{ field: 'fields.a', issue: 'must be an object' }] }),
    );
  });
});

test('parsed values and members are plain, whether they were parsed before or not', () => {
  expect(parsed({ a: [lazy('[1]'), null], b: { c: lazy('2') } })).toEqual({ a: [[1], null], b: { c: 2 } });
  const members = JSON.parse('{"__proto__":2,"c":null}') as Record<string, null>;
  expect(JSON.stringify(parsedMembers({ ...members, a: lazy('"é"') }))).toBe(
    '{"__proto__":2,"c":null,"a":"é"}',
  );
});

test('a text is told by its first byte', () => {
  expect(['a', lazy('"a'), lazy('{'), undefined, null].map(isJsonText)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
