import type { JsonObject } from '@fairlead/connector-model/json';
import { expect, test } from 'vitest';
import { compileSchema } from './compiled-schema.ts';
import { parseIssues } from './field-issues.ts';

/** `field: issue` of each issue. */
function issues(schema: JsonObject, value: JsonObject): string[] {
  return compileSchema(schema)
    .issuesOf(value, 'fields')
    .map(({ field, issue }) => `${field}: ${issue}`);
}

const properties = (members: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: members,
  ...more,
});

test('every invalid field is named once, with its issue', () => {
  const schema = properties(
    {
      name: { type: 'string' },
      email: { type: 'string', format: 'email', minLength: 40 },
      stage: { enum: ['lead', 'won', 3, null] },
      age: { type: ['integer', 'null'] },
      fixed: { const: 'x' },
    },
    { required: ['name', 'company'] },
  );
  expect(issues(schema, { name: 5, email: 'nope', stage: 'lost', age: 'old', fixed: 'y' })).toEqual([
    'fields.company: is required',
    'fields.name: must be string',
    'fields.email: must NOT have fewer than 40 characters; must be a valid email',
    'fields.stage: must be one of: lead, won, 3, null',
    'fields.age: must be integer or null',
    'fields.fixed: must be one of: x',
  ]);
});

test('nested fields are named by their path as sent', () => {
  const schema = properties({
    address: properties(
      { city: { type: 'string' }, 'zip/code': { type: 'string' } },
      { required: ['street'] },
    ),
    items: { type: 'array', items: properties({ sku: { type: 'string' } }, { required: ['sku'] }) },
  });
  const value = { address: { city: 1, 'zip/code': 1 }, items: [{}, { sku: 2 }] };
  expect(issues(schema, value).map((issue) => issue.split(':')[0])).toEqual([
    'fields.address.street',
    'fields.address.city',
    'fields.address.zip/code',
    'fields.items[0].sku',
    'fields.items[1].sku',
  ]);
});

test('nothing is converted: a text is not a number, and a number not a text', () => {
  const schema = properties({ n: { type: 'number' }, b: { type: 'boolean' }, s: { type: 'string' } });
  expect(issues(schema, { n: '1', b: 'true', s: 1 })).toHaveLength(3);
});

test('additional members pass, unless the schema has additionalProperties false', () => {
  expect(issues(properties({ a: {} }), { b: 1 })).toEqual([]);
  expect(issues(properties({ a: {} }, { additionalProperties: false }), { b: 1 })).toEqual([
    'fields.b: is not known',
  ]);
  expect(issues(properties({ a: {} }, { unevaluatedProperties: false }), { b: 1 })).toEqual([
    'fields.b: is not known',
  ]);
});

test('a union is one issue: its types, its values, or the error in the form that was meant', () => {
  const schema = properties({
    id: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    stage: {
      oneOf: [
        { const: 'lead', title: 'Lead' },
        { const: 'won', title: 'Won' },
      ],
    },
    address: { anyOf: [properties({ city: { type: 'string' } }, { required: ['city'] }), { type: 'null' }] },
    shape: {
      anyOf: [
        properties({ a: { type: 'string' } }),
        properties({ b: { type: 'string' } }, { required: ['b'] }),
      ],
    },
  });
  expect(issues(schema, { id: true, stage: 'x', address: {}, shape: { a: 1 } })).toEqual([
    'fields.id: must be string or integer',
    'fields.stage: must be one of: lead, won',
    'fields.address.city: is required',
    'fields.shape: matches none of the allowed forms',
  ]);
});

test('a condition names the field, not the condition', () => {
  const schema = properties(
    {},
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    { if: { required: ['a'] }, then: { required: ['b'] }, dependentRequired: { c: ['d'] } },
  );
  expect(issues(schema, { a: 1, c: 1 })).toEqual([
    'fields.b: is required',
    'fields.d: is required together with c',
  ]);
});

test('an issue never repeats the value', () => {
  const schema = properties({
    token: { type: 'string', pattern: '^x', maxLength: 3, enum: ['x'], format: 'uuid' },
  });
  expect(issues(schema, { token: 'my-secret-token' }).join()).not.toContain('my-secret-token');
});

test('draft-07 schemas are applied, declared or not', () => {
  const tuple = properties({
    pair: { type: 'array', items: [{ type: 'string' }, { $ref: '#/definitions/n' }] },
  });
  const schema = { ...tuple, definitions: { n: { type: 'number' } } };
  const expected = ['fields.pair[1]: must be number'];
  expect(
    issues({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema }, { pair: ['a', 'b'] }),
  ).toEqual(expected);
  expect(issues(schema, { pair: ['a', 'b'] })).toEqual(expected);
});

test('unknown keywords and formats, and an $id that another schema also has, are accepted', () => {
  const schema = (type: string): JsonObject => ({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://example.test/input',
    'x-vendor': true,
    properties: { a: { type, format: 'file', example: 1 } },
  });
  expect(issues(schema('string'), { a: 1 })).toEqual(['fields.a: must be string']);
  expect(issues(schema('number'), { a: 1 })).toEqual([]);
});

test('a pattern that is not valid in Unicode mode is still applied', () => {
  expect(issues(properties({ a: { pattern: '^[\\w-.]+$' } }), { a: 'a b' })).toHaveLength(1);
});

function members(count: number): [string, JsonObject][] {
  return Array.from({ length: count }, (_, index) => [`m${index}`, { const: index }]);
}

function nested(levels: number): JsonObject {
  let schema: JsonObject = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = { not: schema };
  return schema;
}

test('the largest union is summarised, also where it fails in many places', () => {
  const union = { anyOf: members(500).map(([, member]) => member) };
  const list = properties({ list: { type: 'array', items: union } });
  expect(issues(properties({ a: union }), { a: 'x' })).toEqual([
    `fields.a: must be one of: ${Array.from({ length: 50 }, (_, index) => index).join(', ')}, …`,
  ]);
  expect(issues(list, { list: Array.from({ length: 300 }, () => 'x') })).toHaveLength(20);
  // With this many items, validation ends at the first error.
  expect(issues(list, { list: Array.from({ length: 10_000 }, () => 'x') })).toHaveLength(1);
});

test('unique items are found in an array of any length and order of members', () => {
  const schema = properties({ list: { type: 'array', uniqueItems: true } });
  const list = Array.from({ length: 20_000 }, (_, index) => ({ a: index, b: [`${index}`] }));
  expect(issues(schema, { list })).toEqual([]);
  expect(issues(schema, { list: [...list, { b: ['7'], a: 7 }] })).toEqual([
    'fields.list: must NOT have duplicate items (items ## 7 and 20000 are identical)',
  ]);
  expect(issues(schema, { list: [1, '1', [1], { 1: 1 }, null, 'null', true, { 1: '1' }] })).toEqual([]);
  expect(issues(properties({ list: { uniqueItems: false } }), { list: [1, 1] })).toEqual([]);
});

test('names of members as large as a body are cut', () => {
  const schema: JsonObject = {
    type: 'object',
    additionalProperties: { type: 'object', additionalProperties: { type: 'number' } },
  };
  const value = { ['n'.repeat(1_000_000)]: Object.fromEntries(members(300).map(([name]) => [name, 'x'])) };
  const found = issues(schema, value);
  expect(found.length).toBeGreaterThan(0);
  expect(found.join('').length).toBeLessThan(300_000);
});

test.each<[string, JsonObject]>([
  ['is no schema', { type: 'text' }],
  ['refers to what is not there', { properties: { a: { $ref: '#/$defs/none' } } }],
  ['refers to another document', { $ref: 'https://example.test/schema' }],
  ['has a broken pattern', { properties: { a: { pattern: '(' } } }],
  [
    'is asynchronous inside',
    { $defs: { x: { $async: true, properties: { y: { $ref: '#/$defs/x' } } } }, $ref: '#/$defs/x' },
  ],
  ['has too many subschemas', properties(Object.fromEntries(members(2_000)))],
  ['has a union of too many members', properties({ a: { anyOf: members(501).map(([, member]) => member) } })],
  ['nests too deep', nested(70)],
])('a schema that %s is refused', (_name, schema) => {
  expect(() => compileSchema(schema)).toThrow(Error);
});

test('an asynchronous schema does not let everything pass', () => {
  expect(issues({ $async: true, ...properties({ a: { type: 'string' } }) }, { a: 1 })).toHaveLength(1);
});

test('a huge value with an error in every part gets only its first error', () => {
  const schema = properties({ list: { type: 'array', items: { type: 'string' } } });
  const value = { list: Array.from({ length: 200_000 }, () => 1) };
  expect(issues(schema, value)).toEqual(['fields.list[0]: must be string']);
});

test('at most a hundred invalid fields are listed', () => {
  const schema = properties({ list: { type: 'array', items: { type: 'string' } } });
  expect(issues(schema, { list: Array.from({ length: 500 }, () => 1) })).toHaveLength(100);
});

test('text too long for a format is left to the vendor', () => {
  const schema = properties({ a: { type: 'string', format: 'uri' } });
  expect(issues(schema, { a: 'no uri' })).toHaveLength(1);
  expect(issues(schema, { a: `data:image/png;base64,${' '.repeat(5_000)}` })).toEqual([]);
});

test('what a worker answers as issues is checked, and cut', () => {
  for (const answer of [null, 'x', {}, [null], [{ field: 'a' }], [{ field: 1, issue: 'x' }]])
    expect(() => parseIssues(answer)).toThrow(TypeError);
  const long = { field: 'f'.repeat(5_000), issue: 'i'.repeat(5_000) };
  const parsed = parseIssues(Array.from({ length: 500 }, () => long));
  expect([parsed.length, parsed[0]?.field.length, parsed[0]?.issue.length]).toEqual([100, 2_000, 2_000]);
});
