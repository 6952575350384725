import type { JsonValue } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import {
  copyMember,
  deferJson,
  jsonOf,
  memberJson,
  setDeferred,
  textJson,
  withMembers,
} from './deferred-json.ts';
import { jsonBytes, jsonPieces } from './lazy-json.ts';

const VALUES: readonly (readonly [string, object])[] = [
  ['an object', { b: 1, a: { c: [null, 'é'] }, length: 2 }],
  ['an array', [3, [1], { a: 'x' }]],
  ['an empty array', []],
];
const deferred = (value: unknown) => deferJson(Buffer.from(JSON.stringify(value)));

describe.each(VALUES)('%s that is deferred', (_name, value) => {
  test('is what its bytes are, to whatever reads it', () => {
    const read = deferred(value);
    expect(read).toEqual(value);
    expect(Array.isArray(read)).toBe(Array.isArray(value));
    expect(Object.entries(read)).toEqual(Object.entries(value));
    expect(JSON.stringify({ read })).toBe(JSON.stringify({ read: value }));
    expect(Object.assign({}, read)).toEqual(Object.assign({}, value));
    expect('a' in read).toBe('a' in value);
  });

  test('is passed on as its bytes', () => {
    expect(Buffer.from(jsonOf(deferred(value)) ?? []).toString()).toBe(JSON.stringify(value));
    expect(jsonOf(value)).toBeUndefined();
  });
});

test('an array has its length and its items', () => {
  const read = deferred([3, 1]);
  expect(Array.isArray(read) && [read.length, read.map((item) => item), [...read]]).toEqual([
    2,
    [3, 1],
    [3, 1],
  ]);
});

test('nothing of it changes', () => {
  expect(() => Reflect.set(deferred({ a: 1 }), 'a', 2)).toThrow(TypeError);
});

test('nothing is parsed until it is read: bytes that are no JSON are passed on, from any depth', () => {
  const bytes = Buffer.from('{no JSON');
  const other = Buffer.from('[é');
  const value = { a: 'é', b: [{ c: deferJson(bytes), d: undefined }, deferJson(other), deferJson(bytes)] };
  expect(jsonBytes(value).toString()).toBe('{"a":"é","b":[{"c":{no JSON},[é,{no JSON]}');
  expect(jsonPieces(value)).toContain(bytes);
  expect(jsonBytes(deferJson(bytes))).toEqual(bytes);
});

test('an object without anything deferred is what JSON.stringify writes', () => {
  expect(jsonPieces({ a: { b: [1], c: undefined } })).toBe('{"a":{"b":[1]}}');
  expect(jsonBytes({ a: 'é' })).toEqual(Buffer.from('{"a":"é"}'));
});

test('a value that cannot be written leaves nothing behind', () => {
  expect(() => jsonPieces({ a: deferred([1]), b: 1n })).toThrow(TypeError);
  expect(JSON.stringify({ a: deferred([1]) })).toBe('{"a":[1]}');
});

describe('a text that is deferred', () => {
  const holding = (json: string): Record<string, JsonValue> => {
    const object = { a: null, before: 1, text: null, after: 'x' };
    setDeferred(object, 'text', Buffer.from(json));
    return object;
  };
  const NO_JSON = '"no JSON';

  test('is a string to whatever reads it', () => {
    const text = 'aé一😀\n"';
    const value = { a: null, before: 1, text, after: 'x' };
    const read = holding(JSON.stringify(text));
    expect(read).toEqual(value);
    expect(Object.entries(read)).toEqual(Object.entries(value));
    expect(JSON.stringify(read)).toBe(JSON.stringify(value));
    expect({ ...read }).toEqual(value);
    expect(structuredClone(read)).toEqual(value);
    expect([Reflect.set(read, 'text', 'y'), read['text']]).toEqual([false, text]);
  });

  test('is passed on as its bytes, decoded or not', () => {
    const read = holding('"x"');
    expect([read['text'], jsonPieces(read)]).toEqual(['x', expect.arrayContaining([Buffer.from('"x"')])]);
    expect(jsonBytes({ in: [holding(NO_JSON)] }).toString()).toBe(
      '{"in":[{"a":null,"before":1,"text":"no JSON,"after":"x"}]}',
    );
    expect(textJson(holding(NO_JSON), 'text')).toEqual(Buffer.from(NO_JSON));
    expect([textJson(read, 'after'), memberJson(read, 'after')]).toEqual([undefined, undefined]);
  });

  test('stays deferred in a copy, unless the copy has another member in its place', () => {
    const list = deferJson(Buffer.from('[no JSON'));
    const copy = withMembers(holding(NO_JSON), { before: 2, list, more: true });
    expect(jsonBytes(copy).toString()).toBe(
      '{"a":null,"before":2,"text":"no JSON,"after":"x","list":[no JSON,"more":true}',
    );
    expect(memberJson(copy, 'list')).toEqual(Buffer.from('[no JSON'));
    const other = withMembers(copy, { text: 'y', list: null });
    expect([other, textJson(other, 'text')]).toEqual([
      { a: null, before: 2, text: 'y', after: 'x', list: null, more: true },
      undefined,
    ]);
    expect(withMembers({ a: 1 }, { b: 2 })).toEqual({ a: 1, b: 2 });
  });

  test('is one text in every copy, and even a member named __proto__ is one', () => {
    const from = JSON.parse('{"__proto__":null,"b":1}') as object;
    setDeferred(from, '__proto__', Buffer.from('"x"'));
    const to = {};
    for (const name of Object.keys(from)) copyMember(from, name, to);
    expect(jsonBytes(to).toString()).toBe('{"__proto__":"x","b":1}');
    expect(Object.getPrototypeOf(to)).toBe(Object.prototype);
    const plain = {};
    copyMember(JSON.parse('{"__proto__":1}') as object, '__proto__', plain);
    expect(JSON.stringify(plain)).toBe('{"__proto__":1}');
  });
});
