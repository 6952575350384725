import type { JsonObject } from '@fairlead/connector-model/json';
import { expect, test } from 'vitest';
import { fileNames, hasFileElsewhere } from './file-schema.ts';

const file = { type: 'object', format: 'file' };
const $ref = '#/$defs/file';
const $defs = { file };

test.each<[string, JsonObject]>([
  ['by itself', { properties: { file } }],
  ['by a reference', { properties: { file: { $ref } }, $defs }],
  [
    'by a reference to a reference',
    { properties: { file: { $ref: '#/$defs/a' } }, $defs: { a: { $ref }, file } },
  ],
  ['as one of some', { properties: { file: { anyOf: [{ type: 'null' }, { oneOf: [file] }] } } }],
  ['in a combination', { allOf: [{ properties: { file: { allOf: [{ $ref }] } } }], $defs }],
  [
    'in a schema that is referred to',
    { $ref: '#/$defs/root', $defs: { root: { properties: { file: { $ref } } }, file } },
  ],
  ['under a condition', { if: {}, else: { properties: { file } }, properties: { file: true } }],
])('an input is a file that is declared as one %s', (_where, schema) => {
  expect(fileNames(schema)).toEqual(['file']);
  expect(hasFileElsewhere(schema)).toBe(false);
});

test.each<[string, JsonObject]>([
  ['in an object', { properties: { a: { properties: { file } } } }],
  ['in a list', { properties: { a: { type: 'array', items: { $ref } } }, $defs }],
  ['in an object of an alternative', { properties: { a: { anyOf: [{ properties: { file } }] } } }],
  ['for members without a name', { additionalProperties: file }],
  ['for members by a pattern', { patternProperties: { '^a': { $ref } }, $defs }],
  ['as all of the inputs', file],
  [
    'behind a reference that is not followed',
    { properties: { a: { $ref: '#file' } }, $defs: { a: { ...file, $anchor: 'file' } } },
  ],
])('a file %s is none of the inputs', (_where, schema) => {
  expect(fileNames(schema)).toEqual([]);
  expect(hasFileElsewhere(schema)).toBe(true);
});

test('a file that is an input, and is in a list too, is elsewhere', () => {
  const schema = { properties: { file: { $ref }, more: { items: { $ref } } }, $defs };
  expect(fileNames(schema)).toEqual(['file']);
  expect(hasFileElsewhere(schema)).toBe(true);
  const recursive = { properties: { file, child: { $ref: '#' } } };
  expect(hasFileElsewhere(recursive)).toBe(true);
});

test('other schemas have no file', () => {
  const schema = { properties: { format: { const: 'file' }, self: { $ref: '#' }, a: { format: 'date' } } };
  expect([fileNames(schema), hasFileElsewhere(schema)]).toEqual([[], false]);
  expect(fileNames({})).toEqual([]);
});

test('a schema of which every input applies all of another costs as much as its size', () => {
  const many = Array.from({ length: 2_000 }, (_, index) => ({ title: String(index) }));
  const inputs = many.map(({ title }) => [title, { $ref: '#/$defs/many' }] as const);
  const schema = { properties: Object.fromEntries(inputs), $defs: { many: { anyOf: [...many, file] } } };
  expect(fileNames(schema)).toHaveLength(2_000);
});
