import { describe, expect, it } from 'vitest';
import { isDeeperThan, jsonBytes } from '../limits.ts';
import type { JsonObject } from '../json.ts';
import { memberTree } from './member-tree.ts';
import { MAX_IMPORTED_LEVELS, readSchema } from './read-schema.ts';
import { memberOf, viewOf } from './schema-view.ts';

const schemas: Readonly<Record<string, JsonObject>> = {
  Owner: { type: 'object', properties: { id: { type: 'string' }, boss: { $ref: 'Owner' } } },
  Named: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  Loop: { $ref: 'Loop' },
};

function read(raw: JsonObject, use: 'input' | 'output' = 'input', keep: readonly string[] = []): JsonObject {
  const resolve = (ref: string): JsonObject | undefined => schemas[ref];
  const view = viewOf(raw, resolve);
  return view === undefined
    ? {}
    : readSchema(view, { resolve, use, keep: memberTree(keep), levels: MAX_IMPORTED_LEVELS });
}

describe('a schema of a vendor', () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      'loses keywords that JSON Schema does not have',
      { type: 'string', example: 'a', 'x-own': 1, format: 'int64', default: 'a' },
      { type: 'string' },
    ],
    [
      'keeps formats that are checked',
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date-time' },
    ],
    [
      'may be null in the way of OpenAPI 3.0',
      { type: 'string', nullable: true },
      { type: ['string', 'null'] },
    ],
    ['may be null in the way of OpenAPI 3.1', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    [
      'has the limits of its values',
      { type: 'integer', minimum: 1, exclusiveMinimum: true, maximum: '9' },
      { type: 'integer', exclusiveMinimum: 1, maximum: 9 },
    ],
    [
      'has a pattern only if it is fast',
      {
        type: 'object',
        properties: { a: { type: 'string', pattern: '^[a-z]+$' }, b: { type: 'string', pattern: '(a+)+b' } },
      },
      { type: 'object', properties: { a: { type: 'string', pattern: '^[a-z]+$' }, b: { type: 'string' } } },
    ],
    ['has values only of its type', { type: 'integer', enum: ['1', '2'] }, { type: 'integer' }],
    [
      'has no value that stands for none',
      { type: 'string', enum: ['SORT_UNSPECIFIED', 'UP'] },
      { type: 'string', enum: ['UP'] },
    ],
    ['has the one value of a constant', { type: 'string', const: 'a' }, { type: 'string', enum: ['a'] }],
    [
      'is one schema, if several apply',
      { allOf: [{ $ref: 'Named' }, { properties: { age: { type: 'integer' } }, required: ['age', 'none'] }] },
      {
        type: 'object',
        properties: { name: { type: 'string' }, age: { type: 'integer' } },
        required: ['age', 'name'],
      },
    ],
    [
      'has its alternatives once each',
      {
        oneOf: [{ type: 'string' }, { type: 'string', example: 'x' }, { type: 'integer' }, { type: 'null' }],
      },
      { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
    ],
    [
      'is not an alternative, if there is only one',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { type: ['string', 'null'] },
    ],
    ['may be anything, if an alternative may be', { anyOf: [{ type: 'string' }, {}] }, {}],
    [
      'has its type and no more where it contains itself',
      { $ref: 'Owner' },
      { type: 'object', properties: { id: { type: 'string' }, boss: { type: 'object' } } },
    ],
    ['may be anything, if its reference leads to itself', { $ref: 'Loop' }, {}],
    [
      'may be anything, if its reference leads nowhere',
      { type: 'object', properties: { a: { $ref: 'None' } } },
      { type: 'object', properties: { a: {} } },
    ],
  ])('%s', (_name, raw, expected) => {
    expect(read(raw)).toEqual(expected);
  });

  it('is described by its place of use before its definition', () => {
    const member = { description: 'Who pays.', allOf: [{ $ref: 'Named' }] };
    expect(read({ type: 'object', properties: { payer: member } })).toMatchObject({
      properties: { payer: { description: 'Who pays.' } },
    });
  });

  it('has members of any name, if it is a map', () => {
    const map = viewOf({ type: 'object', additionalProperties: { $ref: 'Named' } }, (ref) => schemas[ref]);
    const member = map === undefined ? undefined : memberOf(map, 'anyone', (ref) => schemas[ref]);
    expect(member?.schema).toMatchObject({ required: ['name'] });
  });

  it('refuses nothing as an output that vendors may send: new values, null, and the members of all alternatives', () => {
    const either = { anyOf: [{ type: 'string' }, { type: 'integer', nullable: true }] };
    const raw = {
      oneOf: [
        { type: 'object', properties: { a: { type: 'string', maxLength: 5 } }, required: ['a'] },
        { type: 'object', properties: { b: { type: 'string', enum: ['x'], format: 'date' }, c: either } },
      ],
    };
    expect(read(raw, 'output')).toEqual({
      type: 'object',
      properties: {
        a: { type: ['string', 'null'] },
        b: { type: ['string', 'null'] },
        c: { anyOf: [{ type: 'string' }, { type: ['integer', 'null'] }, { type: 'null' }] },
      },
    });
  });

  it('has only the members that are kept, below lists and alternatives too', () => {
    const raw = {
      type: 'array',
      items: {
        type: 'object',
        properties: { owner: { anyOf: [{ type: 'string' }, { $ref: 'Owner' }] }, more: {} },
      },
    };
    expect(read(raw, 'output', ['owner.id'])).toEqual({
      type: 'array',
      items: {
        type: 'object',
        properties: {
          owner: {
            anyOf: [
              { type: 'string' },
              { type: 'object', properties: { id: { type: ['string', 'null'] } } },
              { type: 'null' },
            ],
          },
        },
      },
    });
  });

  it('is open where it would be too deep or too large', () => {
    let deep: JsonObject = { type: 'string' };
    for (let level = 0; level < 20; level += 1)
      deep = { type: 'object', properties: { a: deep, b: { type: 'string' } } };
    expect(isDeeperThan(read(deep), MAX_IMPORTED_LEVELS)).toBe(false);
    const many = (part: JsonObject): JsonObject => ({
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`member${index}`, part])),
    });
    const large = many(many(many({ type: 'string' })));
    const schema = read(large);
    expect(jsonBytes(schema)).toBeLessThanOrEqual(32 * 1024);
    expect(Object.keys(schema['properties'] as object)).toHaveLength(40);
  });
});
