import { describe, expect, it } from 'vitest';
import { InputSchema } from './input-schema.ts';
import { missingPlaces, placeOf, withValue } from './place.ts';

const schema = new InputSchema({
  $defs: {
    city: { type: 'string' },
    node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, required: ['next'] },
  },
  type: 'object',
  properties: {
    name: { type: 'string' },
    'a.b': { type: 'integer' },
    address: {
      type: 'object',
      properties: { city: { $ref: '#/$defs/city' }, zip: { type: 'string' } },
      required: ['city', 'zip'],
    },
    either: { anyOf: [{ type: 'object', properties: { x: { type: 'number' } } }, { type: 'null' }] },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    free: { type: 'object' },
    count: { type: 'integer', default: 1 },
    node: { $ref: '#/$defs/node' },
  },
  required: ['name', 'address', 'count'],
});

const typesAt = (name: string): unknown => {
  const place = placeOf(schema, name);
  return place && [place.path, [...schema.types(place.schema)]];
};

describe('a name', () => {
  it.each([
    ['name', [['name'], ['string']]],
    ['a.b', [['a.b'], ['integer']]],
    ['address.city', [['address', 'city'], ['string']]],
    ['either.x', [['either', 'x'], ['number']]],
    ['headers.x-id.part', [['headers', 'x-id.part'], ['string']]],
    ['free.a.b', [['free', 'a', 'b'], []]],
  ])('%s means the place %j', (name, expected) => {
    expect(typesAt(name)).toEqual(expected);
  });

  it.each(['nmae', 'address.street', 'a.c', 'name.first'])('%s means none', (name) => {
    expect(placeOf(schema, name)).toBeUndefined();
  });
});

it('additional members are allowed by name only', () => {
  const closed = new InputSchema({ type: 'object', properties: { a: {} }, additionalProperties: false });
  expect(placeOf(closed, 'b')).toBeUndefined();
  const open = new InputSchema({ type: 'object', properties: { a: {} }, additionalProperties: true });
  expect(placeOf(open, 'b')).toEqual({ path: ['b'], schema: {} });
});

it('a value is added beside others, and replaces one that is no object', () => {
  expect(withValue({ a: { b: 1 }, c: 2 }, ['a', 'd'], 3)).toEqual({ a: { b: 1, d: 3 }, c: 2 });
  expect(withValue({ a: 1 }, ['a', 'b'], 2)).toEqual({ a: { b: 2 } });
  expect(Object.keys(withValue({}, ['__proto__'], 1))).toEqual(['__proto__']);
});

describe('missing', () => {
  const missing = (fields: Record<string, unknown>): string[] =>
    missingPlaces(schema, fields).map(({ path }) => path.join('.'));

  it('are required inputs without a value or a default, down to the members of required objects', () => {
    expect(missing({})).toEqual(['name', 'address.city', 'address.zip']);
    expect(missing({ name: '', address: { city: 'Paris' } })).toEqual(['address.zip']);
    expect(missing({ name: 'Ada', address: { city: 'Paris', zip: '1' } })).toEqual([]);
  });

  it('a schema that requires itself ends', () => {
    const own = missing({ name: 'a', address: { city: '', zip: '' }, node: {} });
    expect(own).toHaveLength(1);
  });
});
