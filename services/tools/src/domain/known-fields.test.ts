import type { JsonObject } from '@fairlead/connector-model/json';
import { expect, test } from 'vitest';
import { knownFields, possibleInputs } from './known-fields.ts';

const parsed = (text: string): JsonObject => JSON.parse(text) as JsonObject;

test('members that the schema does not know are dropped', () => {
  const schema = { type: 'object', properties: { name: { type: 'string' } } };
  expect(knownFields(schema, { name: 'Ada', nope: 1 })).toEqual({ name: 'Ada' });
});

test('a tool without inputs gets none', () => {
  expect(knownFields({ type: 'object', properties: {} }, { nope: 1 })).toEqual({});
});

test.each([
  [
    'additionalProperties: false, so that they become errors',
    { properties: { a: {} }, additionalProperties: false },
  ],
  ['additionalProperties: true', { properties: { a: {} }, additionalProperties: true }],
  ['unevaluatedProperties', { properties: { a: {} }, unevaluatedProperties: false }],
  ['patternProperties', { properties: { a: {} }, patternProperties: { '^x': {} } }],
  ['no properties at all', { type: 'object' }],
])('unknown members stay if the schema has %s', (_name, schema) => {
  expect(knownFields(schema, { a: 1, nope: 2 })).toEqual({ a: 1, nope: 2 });
});

test('properties count wherever the schema states them, through references and combinations', () => {
  const schema = {
    $defs: { base: { properties: { a: {} } } },
    allOf: [{ $ref: '#/$defs/base' }],
    anyOf: [{ properties: { b: {} } }, { properties: { c: {} }, required: ['c'] }],
    properties: { d: {} },
  };
  const names = Object.keys(knownFields(schema, { a: 1, b: 1, c: 1, d: 1, nope: 1 }));
  expect(names.toSorted()).toEqual(['a', 'b', 'c', 'd']);
});

test('a recursive schema terminates', () => {
  expect(knownFields({ allOf: [{ $ref: '#' }], properties: { a: {} } }, { a: 1, nope: 2 })).toEqual({ a: 1 });
});

test('a member named __proto__ is a member like any other', () => {
  const fields = parsed('{"__proto__": {"polluted": true}, "a": 1}');
  expect(knownFields({ properties: { a: {} } }, fields)).toEqual({ a: 1 });
  const kept = knownFields(parsed('{"properties": {"__proto__": {}}}'), fields);
  expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
  expect(Object.keys(kept)).toEqual(['__proto__']);
});

test('members that the tool does not know are not read, however many there are', () => {
  const fields = {
    a: 1,
    get nope(): never {
      return expect.unreachable('it is not known');
    },
  };
  expect(knownFields({ properties: { a: {}, b: {} } }, fields)).toEqual({ a: 1 });
});

const A = { properties: { a: {} } };

test.each<[string, JsonObject]>([
  ['another property', A],
  ['no properties at all', { properties: {} }],
  ['none beside its properties', { ...A, additionalProperties: false }],
  ['nothing', { type: 'object', additionalProperties: false }],
  ['parts that name others', { allOf: [A, { $ref: '#/$defs/c' }], $defs: { c: { properties: { c: {} } } } }],
  ['a property of another value', { properties: { a: { properties: { b: {} } } } }],
])('a tool with %s certainly has no input b', (_what, schema) => {
  expect(possibleInputs(schema)('b')).toBe(false);
});

test.each<[string, JsonObject]>([
  ['an open schema', { type: 'object' }],
  ['additional properties', { ...A, additionalProperties: true }],
  ['unevaluated properties of a form', { ...A, unevaluatedProperties: { type: 'string' } }],
  ['a pattern, which is not run', { ...A, patternProperties: { '^(x+)+$': {} } }],
  ['a part that names it', { ...A, allOf: [{ properties: { b: {} } }] }],
  ['one of several forms', { oneOf: [A, { properties: { b: {} }, additionalProperties: false }] }],
  ['a reference that loops', { ...A, $ref: '#/$defs/b', $defs: { b: { $ref: '#', properties: { b: {} } } } }],
  ['a condition', { ...A, if: A, else: { properties: { b: {} } } }],
  ['another member', { ...A, dependentSchemas: { a: { properties: { b: {} } } } }],
])('a tool with %s may have an input b', (_what, schema) => {
  expect(possibleInputs(schema)('b')).toBe(true);
});
