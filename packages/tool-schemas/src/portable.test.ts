import { expect, test } from 'vitest';
import { portableSchema, withoutRemoteReferences } from './portable.ts';

test('the root is an object without choices, with the members of all of them', () => {
  expect(
    portableSchema({
      allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }],
      anyOf: [
        { properties: { b: { type: 'number' } }, required: ['b'] },
        { properties: { c: { type: 'boolean' } } },
      ],
      not: { required: ['d'] },
      if: { required: ['b'] },
    }),
  ).toEqual({
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'number' }, c: { type: 'boolean' } },
    required: ['a'],
  });
});

test('references that lead out of the schema are left out at any depth; others stay', () => {
  const remote = { $ref: 'https://schemas.test/a.json', description: 'any' };
  const schema = {
    type: 'object',
    properties: { a: remote, b: { type: 'array', items: { anyOf: [remote, { $ref: '#/$defs/c' }] } } },
    $defs: { c: { not: remote } },
  };
  const expected = {
    type: 'object',
    properties: {
      a: { description: 'any' },
      b: { type: 'array', items: { anyOf: [{ description: 'any' }, { $ref: '#/$defs/c' }] } },
    },
    $defs: { c: { not: { description: 'any' } } },
  };
  expect(withoutRemoteReferences(schema)).toEqual(expected);
  expect(portableSchema(schema)).toEqual(expected);
});

test('arrays say what is in them, and names are plain', () => {
  const { properties } = portableSchema({
    type: 'object',
    properties: {
      list: { type: 'array' },
      'due date': { type: 'string' },
      any: true,
      $ref: { type: 'string' },
    },
  });
  expect(properties).toMatchObject({ list: { type: 'array', items: {} }, any: {} });
  expect(Object.keys(properties ?? {}).filter((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))).toEqual([]);
  expect(Object.keys(properties ?? {})).toHaveLength(4);
});
